<?php

// Whether a webhook came from lastro. PHP 8.0 or newer, nothing to install.
//
// $secret: as printed, with whsec_. $headers: by lower-case name, as array_change_key_case(getallheaders()) has them.
// $body: the bytes as they arrived, before any parsing: file_get_contents('php://input').

declare(strict_types=1);

const LASTRO_TOLERANCE_SECONDS = 300;

/** By the Standard Webhooks headers, which cover the time too. InvalidArgumentException: the secret is none. */
function is_from_lastro(string $secret, array $headers, string $body, ?int $now = null): bool
{
    $key = base64_decode(substr(checked_secret($secret), strlen('whsec_')), true);
    if ($key === false) {
        throw new InvalidArgumentException('the secret is whsec_ and base64');
    }
    $id = $headers['webhook-id'] ?? '';
    $sentAt = $headers['webhook-timestamp'] ?? '';
    if ($id === '' || !preg_match('/^[0-9]{1,12}$/D', $sentAt)) {
        return false;
    }
    if (abs(($now ?? time()) - (int) $sentAt) > LASTRO_TOLERANCE_SECONDS) {
        return false; // recorded, and sent again by somebody
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sentAt.$body", $key, true));
    foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
        // Two values stand there while a secret is being changed.
        if (hash_equals($expected, $given)) {
            return true;
        }
    }
    return false;
}

/** By X-Signature-SHA256, or the old secret's while it is being changed: the body alone. Throws as above. */
function is_from_lastro_short(string $secret, array $headers, string $body): bool
{
    $expected = 'sha256=' . hash_hmac('sha256', $body, checked_secret($secret));
    return hash_equals($expected, $headers['x-signature-sha256'] ?? '')
        || hash_equals($expected, $headers['x-signature-sha256-previous'] ?? '');
}

/** An empty secret, of a variable that was never set, would let anybody sign. */
function checked_secret(string $secret): string
{
    if (!preg_match('~^whsec_[A-Za-z0-9+/]{4,}={0,2}$~D', $secret)) {
        throw new InvalidArgumentException('the secret is whsec_ and base64');
    }
    return $secret;
}
