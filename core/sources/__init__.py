"""Where policies come from and are kept current: folders, repositories, document services."""
