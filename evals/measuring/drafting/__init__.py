"""Questions with their answers, drafted from policies for people to accept."""
