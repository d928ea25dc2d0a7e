/** Pages without script or style, for before someone is known. */

/**
 * Leads on without the token. A page that leads on by itself, and not a redirect: after a link from elsewhere a browser would not
 * send the new cookie with a redirect.
 */
export function tokenPage(target: string): Response {
  const address = escaped(target);
  return html(
    200,
    `<meta http-equiv="refresh" content="0;url=${address}"><title>Fullstop</title><p><a href="${address}">Continue to the dashboard</a></p>`,
  );
}

/** For someone without the cookie. Following the link sends the cookie if there is one, also after a link from elsewhere. */
export function signInPage({ pathname, search }: URL): Response {
  return html(
    401,
    `<title>Fullstop</title><h1>Who is there?</h1><p>Open the address that <code>fullstop dashboard</code> printed: it carries the token. If you opened it before in this browser, <a href="${escaped(pathname + search)}">continue here</a>.</p>`,
  );
}

function html(status: number, body: string): Response {
  return new Response(`<!doctype html><html lang="en"><meta charset="utf-8">${body}</html>`, {
    status,
    headers: { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' },
  });
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
