// Package webhooks tells whether a webhook came from lastro. Go 1.18 or newer, the standard library alone.
//
// secret: as printed, with whsec_. body: the bytes as they arrived, before any parsing (io.ReadAll(request.Body)).
package webhooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const toleranceSeconds = 300

var (
	timestamp   = regexp.MustCompile(`^[0-9]{1,12}$`)
	printed     = regexp.MustCompile(`^whsec_[A-Za-z0-9+/]{4,}={0,2}$`)
	errNoSecret = errors.New("the secret is whsec_ and base64")
)

// IsFromLastro looks at the Standard Webhooks headers, which cover the time too. An error means that the secret is none.
func IsFromLastro(secret string, header http.Header, body []byte, now time.Time) (bool, error) {
	// An empty secret, of a variable that was never set, would let anybody sign.
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || !printed.MatchString(secret) {
		return false, errNoSecret
	}
	id, sentAt := header.Get("webhook-id"), header.Get("webhook-timestamp")
	if id == "" || !timestamp.MatchString(sentAt) {
		return false, nil
	}
	sent, _ := strconv.ParseInt(sentAt, 10, 64)
	if away := now.Unix() - sent; away > toleranceSeconds || away < -toleranceSeconds {
		return false, nil // recorded, and sent again by somebody
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + sentAt + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
		// Two values stand there while a secret is being changed.
		if hmac.Equal([]byte(expected), []byte(given)) {
			return true, nil
		}
	}
	return false, nil
}

// IsFromLastroShort looks at X-Signature-SHA256, or the old secret's while it is being changed: the body alone.
func IsFromLastroShort(secret string, header http.Header, body []byte) (bool, error) {
	if !printed.MatchString(secret) {
		return false, errNoSecret
	}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write(body)
	expected := []byte("sha256=" + hex.EncodeToString(mac.Sum(nil)))
	return hmac.Equal(expected, []byte(header.Get("X-Signature-SHA256"))) ||
		hmac.Equal(expected, []byte(header.Get("X-Signature-SHA256-Previous"))), nil
}
