"""Questions in the hands of Compliance: what becomes a case, who may do what, who hears."""
