package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/mobiumdev/mobium-rag/pkg/reviewweb"
)

// patience is how long a page may take for one step, on a machine that does much else.
const patience = 60 * time.Second

// chromium starts the one browser of a test, or skips it. It ends with the test.
func chromium(tb testing.TB) context.Context {
	tb.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		tb.Skip("SKIP needs chromium: apt-get install chromium, or another Chromium on PATH")
	}
	opts := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.UserDataDir(tb.TempDir()),
		chromedp.WSURLReadTimeout(patience), chromedp.WindowSize(1400, 900))
	if runtime.GOOS == "linux" && os.Getuid() == 0 {
		opts = append(opts, chromedp.NoSandbox) // it has none for root
	}
	allocator, cancel := chromedp.NewExecAllocator(context.Background(), opts...)
	tb.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	tb.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.Navigate("about:blank")); err != nil {
		tb.Fatalf("chromium does not start: %v", err)
	}
	tb.Cleanup(func() {
		if err := chromedp.Cancel(ctx); err != nil { // waits for it, so that its folder can be removed
			tb.Logf("chromium: %v", err)
		}
	})
	return ctx
}

// served serves a site for the time of a test and returns its address.
func served(tb testing.TB, site http.Handler) string {
	tb.Helper()
	web, err := reviewweb.Listen(0)
	if err != nil {
		tb.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- web.Serve(ctx, site) }()
	tb.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			tb.Error(err)
		}
	})
	return web.URL()
}

// window is a tab of the browser. It fails its test for a script error, a
// message of the policy, or a request to anywhere but the server.
type window struct {
	testing.TB
	ctx context.Context

	mu    sync.Mutex
	home  string
	wrong []string
	asked int
}

func open(tb testing.TB, browser context.Context, url string) *window {
	tb.Helper()
	ctx, cancel := chromedp.NewContext(browser)
	w := &window{TB: tb, ctx: ctx, home: url[:strings.LastIndex(url, "/")+1]}
	tb.Cleanup(func() {
		cancel()
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, wrong := range w.wrong {
			tb.Errorf("in the browser: %s", wrong)
		}
		if w.asked == 0 {
			tb.Error("no request of the page was seen: the watch on them shows nothing")
		}
	})
	if err := chromedp.Listen(ctx, w.heard); err != nil {
		tb.Fatal(err)
	}
	if _, err := chromedp.Call(ctx, network.Enable, network.EnableParams{}); err != nil {
		tb.Fatal(err)
	}
	w.do(chromedp.Navigate(url))
	return w
}

// heard takes note of what a page must not do.
func (w *window) heard(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		w.asked++
		if !strings.HasPrefix(e.Request.URL, w.home) {
			w.wrong = append(w.wrong, "a request to "+e.Request.URL)
		}
	case *cdpruntime.EventExceptionThrown:
		w.wrong = append(w.wrong, "an exception: "+fmt.Sprintf("%s %+v", e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError && e.Entry.Source != log.EntrySourceNetwork { // refusals of the server are shown on the page
			w.wrong = append(w.wrong, e.Entry.Text)
		}
	}
}

func (w *window) do(steps ...chromedp.Action[chromedp.Void]) {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		w.Fatal(err)
	}
}

// eval is the value of an expression in the page.
func eval[T any](w *window, js string) T {
	w.Helper()
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	for {
		v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js))
		switch {
		case err == nil:
			return v
		case ctx.Err() != nil || !leaving(err):
			w.Fatalf("%s: %v", js, err)
		}
	}
}

// leaving says that a page gave way to the next while it was asked, and took its context along.
func leaving(err error) bool {
	return strings.Contains(err.Error(), "context") || strings.Contains(err.Error(), "navigated or closed")
}

// until waits for an expression to be true.
func (w *window) until(format string, args ...any) {
	w.Helper()
	js := "!!(" + fmt.Sprintf(format, args...) + ")"
	ctx, cancel := context.WithTimeout(w.ctx, patience)
	defer cancel()
	for {
		_, err := chromedp.Run(ctx, chromedp.Poll[bool](js, chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(patience)))
		if err == nil {
			return
		}
		if ctx.Err() != nil || !leaving(err) {
			w.Fatalf("waiting for %s: %v\nthe page says: %s", js, err, eval[string](w, "document.body.innerText"))
		}
	}
}

// sees waits until the text of an element holds some text.
func (w *window) sees(css, text string) {
	w.Helper()
	w.until("(document.querySelector(%q)?.innerText || '').includes(%q)", css, text)
}

// press presses keys as a keyboard does: the letter is a part of the key that
// goes down, so that a page that takes the key is not given the letter.
func (w *window) press(keys ...string) {
	w.Helper()
	for _, name := range keys {
		ctrl := strings.HasPrefix(name, "Ctrl+")
		r := []rune(strings.TrimPrefix(name, "Ctrl+"))[0]
		k := kb.Keys[r]
		down := input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown, Key: k.Key, Code: k.Code, Text: k.Text, UnmodifiedText: k.Unmodified, WindowsVirtualKeyCode: k.Windows, NativeVirtualKeyCode: k.Native}
		if k.Shift {
			down.Modifiers |= int64(chromedp.ModifierShift)
		}
		if ctrl {
			down.Modifiers |= int64(chromedp.ModifierCtrl)
			down.Text, down.UnmodifiedText = "", ""
		}
		up := down
		up.Type, up.Text, up.UnmodifiedText = input.DispatchKeyEventTypeKeyUp, "", ""
		w.do(chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
			for _, p := range []input.DispatchKeyEventParams{down, up} {
				if _, err := cdp.Call(ctx, t, input.DispatchKeyEvent, p); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

// write types a text, a key at a time, in the place of what the focused field holds.
func (w *window) write(text string) {
	w.Helper()
	w.until("document.activeElement.matches('input, textarea')")
	eval[any](w, "document.activeElement.select()")
	for _, r := range text {
		w.press(string(r))
	}
}

// click clicks with the mouse, where the element is.
func (w *window) click(css string) {
	w.Helper()
	w.do(chromedp.Click(chromedp.CSS(css), chromedp.NodeVisible))
}
