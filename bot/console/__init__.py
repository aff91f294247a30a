"""The terminal: the same replies as in chat, and the commands of whoever runs the product."""
