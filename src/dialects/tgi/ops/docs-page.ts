// GET /docs/: a page that lists what the OpenAPI document says. One file, nothing loaded from elsewhere.

/** The page. */
export const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Text Generation Inference API</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
summary { cursor: pointer; padding: .3rem 0; }
code { font-weight: 600; }
pre { background: #8881; padding: 1rem; overflow: auto; border-radius: .4rem; }
</style>
</head>
<body>
<h1>Text Generation Inference API</h1>
<p><a href="../api-doc/openapi.json">OpenAPI document</a></p>
<main id="paths">Loading...</main>
<script>
const main = document.getElementById('paths');
fetch('../api-doc/openapi.json').then((answer) => answer.json()).then(({ paths }) => {
  main.textContent = '';
  for (const [path, methods] of Object.entries(paths)) for (const [method, operation] of Object.entries(methods)) {
    const details = main.appendChild(document.createElement('details'));
    const summary = details.appendChild(document.createElement('summary'));
    summary.appendChild(document.createElement('code')).textContent = method.toUpperCase() + ' ' + path;
    summary.append(' ' + operation.summary);
    details.appendChild(document.createElement('pre')).textContent = JSON.stringify(operation, null, 2);
  }
}, () => { main.textContent = 'The OpenAPI document could not be loaded.'; });
</script>
</body>
</html>
`;
