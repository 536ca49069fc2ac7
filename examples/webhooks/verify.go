// The body of the message is stdin. Exits with 0 if it is from the service, otherwise with 1.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
)

// IsGenuine needs the body exactly as received, before it is parsed.
func IsGenuine(id, timestamp, signatures string, body []byte, secret string) bool {
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	// A message that is recorded and sent again later is refused.
	if err != nil || math.Abs(float64(time.Now().Unix()-seconds)) > 300 {
		return false
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		return false
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	// Two signatures while the secret is rotated.
	for _, one := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(one), []byte(expected)) {
			return true
		}
	}
	return false
}

func main() {
	body, err := io.ReadAll(os.Stdin)
	get := os.Getenv
	if err != nil || !IsGenuine(get("WEBHOOK_ID"), get("WEBHOOK_TIMESTAMP"), get("WEBHOOK_SIGNATURE"), body, get("WEBHOOK_SECRET")) {
		os.Exit(1)
	}
}
