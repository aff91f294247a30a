"""Questions about the policies themselves, answered from what is stored with them."""
