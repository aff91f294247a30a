"""Messages, modals and views as Block Kit. Pure."""
