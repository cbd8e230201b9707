"""E-mails and text messages: a mail server, an SMS gateway, an open inbox."""
