// Package reviewweb serves the pages on which a person reviews golden questions
// and labels answers. What is decided there is pkg/review's and pkg/label's to
// check and to keep; here is how it is shown and how it comes in.
//
// # Who may ask
//
// A [Server] listens on 127.0.0.1 alone, and answers no request
//   - whose Host is not its own (a name that was made to point at this machine);
//   - whose Origin, where it has one, is not its own (a page of another site);
//   - for anything but the embedded pages, without the token of the address.
//
// The token stands behind the # of the address, which a browser sends nobody.
// The page sends it as a header with each request of its own, so there is no
// cookie that another server on this machine could be sent too.
//
// The policy of every answer lets no script run that is not embedded here, and
// nothing be loaded from, or sent to, anywhere else.
//
// # Text of the docs
//
// Markdown is turned to HTML on the server ([Markdown]): HTML within it is shown
// as the text it is, images as their descriptions, and only links to http,
// https and mailto are links.
//
// # Saving
//
// A page sends one request for each decision or mark. It is answered once the
// file was written and flushed, so what a page shows as saved outlives the
// program. Pages ask once a second what has changed, so that a second window, or
// a second program on the same file, is seen.
package reviewweb
