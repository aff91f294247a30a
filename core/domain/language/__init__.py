"""What sentences say, without a model: modality, quantities, people, countries, table rows."""
