"""A bank that speaks API Pix 2.9.0 to companies: charges, Pix, returns and webhooks, over mTLS.

Its behaviour is made of the official document alone (https://github.com/bacen/pix-api, tag 2.9.0) and of what banks say of
themselves; nothing of it comes from lastro's client.
"""
