"""Models that run on this machine, by onnxruntime: no key, no network."""
