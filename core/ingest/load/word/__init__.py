"""Word documents: archive and XML, styles, numbers, notes, and the text written from them."""
