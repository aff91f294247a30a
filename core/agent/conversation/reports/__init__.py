"""Reports of misconduct in English, German, French and Spanish, told from questions."""
