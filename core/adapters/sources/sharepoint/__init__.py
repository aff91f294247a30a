"""Document libraries of SharePoint, read over Microsoft Graph."""
