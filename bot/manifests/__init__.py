"""What the manifests of both apps say: names and icons, and questions to begin with."""
