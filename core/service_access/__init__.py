"""What calls of services on the web need: access tokens, and the proxy of the environment."""
