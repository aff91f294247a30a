"""The record of questions, and what models cost."""
