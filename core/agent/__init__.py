"""One question in, one recorded outcome out."""
