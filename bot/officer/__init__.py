"""The officers' console in the browser, under `/officer`."""
