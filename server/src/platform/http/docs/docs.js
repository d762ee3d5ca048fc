// Starts the reference on the page. `Scalar` comes from the script before this one.
Scalar.createApiReference('#reference', {
  // The page is at /docs, with or without a final slash.
  url: `${location.pathname.replace(/\/docs\/?$/, '')}/v1/openapi.json`,
  theme: 'none',
  layout: 'modern',
  withDefaultFonts: false,
  telemetry: false,
  showDeveloperTools: 'never',
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  documentDownloadType: 'none',
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  defaultOpenAllTags: false,
  operationTitleSource: 'summary',
  orderSchemaPropertiesBy: 'preserve',
  persistAuth: false,
  hideDarkModeToggle: true,
  authentication: { preferredSecurityScheme: 'publishable_key' },
});
