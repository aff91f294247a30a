"""How far to trust an answer: features of the run, a calibrated probability, a badge."""
