"""Where e-mails and text messages arrive: a mail server and an SMS gateway, whose letter box anybody may read."""
