"""What is sent and answered. Made by `make clients`: change the document, not this file."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


class AcceptanceForm(TypedDict):
    """
    The holder's acceptance of the terms as a file.
    """

    fileName: str
    """
    The `fileName` of the terms that were read.
    """
    acceptedAt: NotRequired[str | None]
    """
    When; the moment of the request where nothing is said.
    """
    ip: NotRequired[str | None]
    """
    From where: IPv4 or IPv6.
    """


AccountStatus: TypeAlias = Literal["ACTIVE", "INACTIVE", "CLOSED"]


AccountType: TypeAlias = Literal["CHECKING_ACCOUNT", "SAVINGS_ACCOUNT", "PAYMENT_ACCOUNT", "WAGE_ACCOUNT"]


class Acknowledgement(TypedDict):
    """
    The answer of your endpoint, with status 200; any other is a failed attempt.
    """

    returnCode: Literal["SUCCESS"]
    """
    Says that you have it.
    """


class AddressForm(TypedDict):
    """
    The customer's address. It is not checked for PIX.
    """

    state: NotRequired[str | None]
    city: NotRequired[str | None]
    street: NotRequired[str | None]
    neighborhood: NotRequired[str | None]
    number: NotRequired[str | None]
    complement: NotRequired[str | None]
    postalCode: NotRequired[str | None]


class AffectedObjects(TypedDict):
    """
    Your objects that name a key that left. Orders cannot be paid; printed codes pay the next holder.
    """

    orders: int
    """
    Orders that wait for money: their locations answer 410.
    """
    staticQrcodes: int
    """
    Codes that were printed: they lead to the key's next holder.
    """
    subscriptions: int
    """
    Of the orders, those whose payment authorizes a subscription.
    """
    orderIds: list[str]
    """
    The newest of them, at most 20, first charges among them.
    """
    staticQrcodeIds: list[str]
    """
    The newest of them, at most 20.
    """
    subscriptionIds: list[str]
    """
    The newest of them, at most 20.
    """


AmountCurrency: TypeAlias = Literal["BRL", "MXN"]


AnswerClaimDecision: TypeAlias = Literal["CONFIRM", "CANCEL"]


ApiErrorError: TypeAlias = Literal["INVALID_REQUEST", "UNAUTHORIZED", "FORBIDDEN_ERROR", "NOT_FOUND", "INTERNAL_ERROR"]


class ApprovePlan(TypedDict):
    """
    Signs what was looked at.
    """

    hash: str
    """
    The `hash` of the plan, as you have read it.
    """


class Attempt(TypedDict):
    """
    One attempt at a delivery.
    """

    message: str
    """
    The first 1,000 characters of what your endpoint answered, or why there was no answer or none that counts: TIMEOUT, DNS_FAILURE, CONNECTION_REFUSED, CONNECTION_CLOSED, TLS_FAILURE, ADDRESS_REFUSED, REDIRECT, TOO_LARGE. Empty once the event's body is no longer kept.
    """
    statusCode: int
    """
    The HTTP status it answered; 0 where there was no answer.
    """
    requestTime: str


class AttemptEntry(TypedDict):
    """
    An event was sent to your URL.
    """

    kind: Literal["attempt"]
    at: str
    eventId: str
    number: int
    statusCode: int
    """
    What your URL answered; 0: nothing.
    """
    message: str
    durationMs: int


class AuthorizingBank(TypedDict):
    """
    The account that pays.
    """

    branchNumber: str
    accountNumber: str
    ispb: str


BalanceCurrency: TypeAlias = Literal["BRL", "USD", "ARS", "EUR", "CLP", "COP", "MXN", "PEN", "BUSD", "USDT", "JPY"]


class BalanceMoney(TypedDict):
    """
    An amount of a currency; zero in one in which nothing is kept.
    """

    currency: BalanceCurrency
    """
    ISO 4217 code.
    """
    value: str
    """
    Decimal text with exactly the currency's decimals.
    """


class BankAccount(TypedDict):
    """
    The bank details for payments to the account from another bank.
    """

    ispb: str
    """
    The institution's id of 8 characters.
    """
    bankNumber: NotRequired[str]
    """
    The institution's COMPE number; one without leaves it out.
    """
    accountType: AccountType
    createdAt: str
    branchNumber: str
    accountNumber: str
    """
    Eight digits and the check digit, without hyphen.
    """


class BankAccountForm(TypedDict):
    """
    An account at a bank. Exactly one of `ispb` and `bankNumber` says which.
    """

    accountType: AccountType
    branchNumber: str
    """
    Without its check digit.
    """
    accountNumber: str
    """
    With its check digit, without hyphen. A TED takes digits alone: write a check digit X as 0 there.
    """
    ispb: NotRequired[str | None]
    """
    The bank's id of 8 characters.
    """
    bankNumber: NotRequired[str | None]
    """
    The bank's COMPE number, as it stands in the bank list.
    """


BankMethod: TypeAlias = Literal["PIX", "TED"]


class BrlAmount(TypedDict):
    """
    An amount of what moves in reais alone.
    """

    value: str | float
    """
    Read from its text as it stands: `10.5`, `"10.50"` and `1050e-2` are the same amount.
    """
    currency: Literal["BRL"]
    """
    BRL.
    """


class BrlMoney(TypedDict):
    """
    An amount of what moves in reais alone.
    """

    currency: Literal["BRL"]
    """
    ISO 4217 code.
    """
    value: str
    """
    Decimal text with exactly the currency's decimals.
    """


class BrowserForm(TypedDict):
    """
    The browser of the payer, as 3-D Secure wants it.
    """

    userAgent: NotRequired[str | None]
    acceptHeader: NotRequired[str | None]
    language: NotRequired[str | None]
    colorDepth: NotRequired[int | None]
    screenHeight: NotRequired[int | None]
    screenWidth: NotRequired[int | None]
    timeZoneOffset: NotRequired[int | None]
    """
    Minutes from UTC.
    """
    javaEnabled: NotRequired[bool | None]
    javascriptEnabled: NotRequired[bool | None]


class ByMethod(TypedDict):
    """
    The totals of one method, without the lines that were refused.
    """

    paymentMethod: BankMethod
    payouts: int
    transfers: int
    """
    After those above the account's limit are split.
    """
    amount: BrlMoney
    fees: BrlMoney
    dayLimitLeft: NotRequired[BrlMoney]
    """
    Of today; left out where there is no limit.
    """


CancelSubscriptionReason: TypeAlias = Literal["FRAUD_SUSPECTED", "OTHER", "REQUESTED_BY_RECEIVER"]


CancellationReason: TypeAlias = Literal[
    "REQUESTED_BY_RECEIVER",
    "FRAUD_SUSPECTED",
    "OTHER",
    "REQUESTED_BY_PAYER",
    "ACCOUNT_CLOSED",
    "AUTHORIZATION_EXPIRED",
    "RECURRENCE_ENDED",
]


CancellationStatus: TypeAlias = Literal["PENDING", "ACCEPTED", "REJECTED", "ERROR"]


class Card(TypedDict):
    """
    The card of a CREDIT_CARD order, as much as may be shown.
    """

    brand: str
    lastFour: str
    installments: int
    cardToken: str
    """
    Pays a later order of your company by the same card.
    """


class CardForm(TypedDict):
    """
    A card as its holder typed it.
    """

    holderName: str
    holderDocument: str
    """
    Three characters shown, then `*`; a whole one is masked before anything is kept.
    """
    number: str
    """
    It goes to the acquirer's tokenizer and nowhere else: it is not stored, logged or compared.
    """
    cvv: str
    """
    It goes to the acquirer's tokenizer and nowhere else: it is not stored, logged or compared.
    """
    expiry: str
    """
    `MM/YY`.
    """
    brand: NotRequired[str | None]
    """
    VISA, MASTERCARD, AMEX, DINERS, ELO, HIPERCARD, CARNET; where it is given it has to be the number's.
    """


class CashVoucher(TypedDict):
    """
    The voucher of an OXXO, OXXOPAY or PAYNET order, for a till.
    """

    reference: str
    """
    What the till scans, or types.
    """
    barcodeImageBase64: str
    """
    A PNG of the reference as bars (Code 128), without a `data:` prefix.
    """
    expireDateTime: str
    """
    The last instant at which a till takes it.
    """
    voucherUrl: str
    """
    A page to print, in Spanish. It cannot be guessed; no token.
    """


ClaimKeyType: TypeAlias = Literal["CPF", "CNPJ", "EMAIL", "PHONE"]


ClaimRole: TypeAlias = Literal["CLAIMER", "DONOR"]


ClaimStatus: TypeAlias = Literal["OPEN", "WAITING_RESOLUTION", "CONFIRMED", "COMPLETED", "CANCELLED"]


ClaimType: TypeAlias = Literal["PORTABILITY", "CLAIM_OWNERSHIP"]


ClosingStatus: TypeAlias = Literal["REQUESTED", "COMPLETED", "REFUSED"]


class Code(TypedDict):
    """
    The code that the payer reads.
    """

    imageBase64: str
    """
    The code's picture, a PNG in base64 without a `data:` prefix.
    """
    data: str
    """
    The code's text (EMV BR Code), to copy and paste.
    """


CodeChannel: TypeAlias = Literal["EMAIL", "SMS", "WHATSAPP", "email", "sms", "whatsapp"]


class CodeSent(TypedDict):
    """
    A code is on its way to the e-mail address or phone.
    """

    validationId: str
    """
    What the code is confirmed under.
    """
    expiresAt: str
    """
    Until when the code holds.
    """


CompanyAccountType: TypeAlias = Literal["PAYMENT", "ADMINISTRATIVE", "ADMINISTRATIVE_OUT", "RESERVE", "GUARANTEED_LIMIT"]


class CompanyBalance(TypedDict):
    """
    The balance of a company's accounts of one kind, in reais.
    """

    accountType: CompanyAccountType
    currency: Literal["BRL"]
    available: BalanceMoney
    held: BalanceMoney
    blocked: BalanceMoney
    balance: BalanceMoney
    """
    Another name of `available`.
    """
    provisioned: BalanceMoney
    """
    Another name of `held`.
    """
    asOf: str


class ConfirmKey(TypedDict):
    """
    The code that was sent to the e-mail address or phone.
    """

    validationId: str
    """
    As the creation answered it.
    """
    token: str
    """
    The code.
    """


ContestFormSituationType: TypeAlias = Literal[
    "SCAM", "UNAUTHORIZED_TRANSACTION", "CRIME_OF_COERCION", "FRAUDULENT_ACCESS_AND_AUTHORIZATION", "OTHERS", "UNKNOWN"
]


class CounterpartyDocument(TypedDict):
    """
    By which a state knows who is at the other end; shown in part.
    """

    type: str
    number: str


class CreatePlan(TypedDict):
    """
    Payouts that are checked, approved and made together.
    """

    payouts: list[Any]
    """
    Each is the body of a create of a payout; what is wrong with one is said of its line once checked.
    """


class CreateStaticCode(TypedDict):
    """
    The static QR code to create.
    """

    accountId: str
    """
    The account that is credited.
    """
    pixKey: str
    """
    A key of that account, of any type. The code lives as long as the key leads to the account.
    """
    amount: NotRequired[BrlAmount | None]
    """
    Each payment's; another amount is refused. Left out, the payer types it.
    """
    description: NotRequired[str | None]
    """
    What is paid. The payer reads of it what fits into the code: without accents, and beside a random key 37 characters.
    """


class CreatedNotification(TypedDict):
    """
    A request was approved, and its account is open.
    """

    event: Literal["ACCOUNT.CREATED"]
    occurredAt: str
    requestId: str
    accountId: str
    status: Literal["ACTIVE"]
    """
    Of the account.
    """
    bankData: BankAccount


class CreditCardForm(TypedDict):
    """
    A card as its holder typed it, with its plan.
    """

    holderName: str
    holderDocument: str
    """
    Three characters shown, then `*`; a whole one is masked before anything is kept.
    """
    number: str
    """
    It goes to the acquirer's tokenizer and nowhere else: it is not stored, logged or compared.
    """
    cvv: str
    """
    It goes to the acquirer's tokenizer and nowhere else: it is not stored, logged or compared.
    """
    expiry: str
    """
    `MM/YY`.
    """
    brand: NotRequired[str | None]
    """
    VISA, MASTERCARD, AMEX, DINERS, ELO, HIPERCARD, CARNET; where it is given it has to be the number's.
    """
    installments: NotRequired[int | None]
    skip3ds: NotRequired[bool | None]
    """
    The payer is not authenticated: a chargeback is then yours.
    """


class CryptoCharge(TypedDict):
    """
    The payment data of a `<BRAND>_PAY` order: ways into the app, and the rate that was frozen for it.
    """

    deeplink: str
    """
    Opens the app on the customer's phone.
    """
    universalUrl: str
    """
    Opens the app where there is one, else a page that does the same.
    """
    qrcodeData: str
    """
    The text of a QR code that the app reads, byte for byte.
    """
    asset: str
    """
    What the customer gives.
    """
    assetAmount: str
    """
    So much of the asset, a decimal text.
    """
    rate: str
    """
    Reais for one of the asset, a decimal text.
    """
    rateValidUntil: str
    """
    The last instant at which it is taken; it is frozen.
    """


class DefenseForm(TypedDict):
    """
    The account holder's defense against a notification about received money.
    """

    text: str
    """
    Why the money was due: what was sold, to whom, how it was delivered. Lines may break.
    """


DeliveryFailure: TypeAlias = Literal[
    "TIMEOUT",
    "DNS_FAILURE",
    "CONNECTION_REFUSED",
    "CONNECTION_CLOSED",
    "TLS_FAILURE",
    "ADDRESS_REFUSED",
    "REDIRECT",
    "TOO_LARGE",
    "BAD_ACKNOWLEDGEMENT",
    "BAD_STATUS",
]


DeliveryStatus: TypeAlias = Literal["PENDING", "RETRYING", "FAILED", "DELIVERED"]


class Deposit(TypedDict):
    """
    The account that a DEPOSIT order is paid to: in one transfer or in several.
    """

    bank: str
    """
    The `slug` of a bank of `GET /v1/orders/deposit/banks`.
    """
    branchNumber: str
    """
    Of the bank.
    """
    accountNumber: str
    """
    Of this order alone; the last is the check digit.
    """
    holder: str
    """
    Who is paid.
    """
    reference: str
    """
    A number to write in the transfer; nothing depends on it.
    """


class DepositBank(TypedDict):
    """
    A bank at which orders have account numbers.
    """

    slug: str
    """
    What `order.bank` calls it.
    """
    name: str
    code: str
    """
    Its COMPE number of three digits.
    """
    ispb: str
    """
    The institution's id of 8 characters.
    """
    default: bool
    """
    Whether it is taken where `order.bank` is left out.
    """


class DepositBanks(TypedDict):
    """
    The banks, the default one first.
    """

    data: list[DepositBank]


Direction: TypeAlias = Literal["in", "out"]


DocumentType: TypeAlias = Literal["CPF", "CNPJ"]


class EraData(TypedDict):
    """
    The lost part of the feed, and where it goes on.
    """

    lostFrom: str
    """
    What happened from then on may be unknown here.
    """
    lastSequence: int
    """
    The last number of before that is known.
    """
    firstSequence: int
    """
    The first number of this era.
    """


class EraNotification(TypedDict):
    """
    A backup was put back, and an era began.
    """

    event: Literal["FEED.ERA_BEGAN"]
    era: str
    """
    When it began; the feed says it, too.
    """
    occurredAt: str
    data: EraData


ErrorDetailIssue: TypeAlias = Literal[
    "REQUIRED",
    "INVALID",
    "TOO_LONG",
    "OUT_OF_RANGE",
    "NOT_ALLOWED",
    "MUTUALLY_EXCLUSIVE",
    "DUPLICATE",
    "CONFLICT",
    "MISMATCH",
    "INSUFFICIENT_FUNDS",
    "LIMIT_EXCEEDED",
    "EXPIRED",
    "NOT_SUPPORTED",
]


class Event(TypedDict):
    """
    An event that is sent to a URL.
    """

    id: str
    """
    The `x-event-id` of its deliveries.
    """
    referenceId: NotRequired[str]
    """
    The object it tells of, for example an order.
    """
    webhookUrl: str
    status: DeliveryStatus
    """
    PENDING: its first attempt is to come. RETRYING while its plan has attempts left, then FAILED. DELIVERED: you acknowledged it.
    """
    createdAt: str
    updatedAt: NotRequired[str]
    history: list[Attempt]
    """
    Every attempt, oldest first.
    """


class EventDelivery(TypedDict):
    """
    The state of an event's delivery to you.
    """

    status: DeliveryStatus
    attempts: int
    nextAttemptAt: NotRequired[str]


class EventEntry(TypedDict):
    """
    You are told of it.
    """

    kind: Literal["event"]
    at: str
    id: str
    referenceId: str
    type: str
    sequence: NotRequired[int]
    """
    Its number among your events, once it has one.
    """
    delivery: NotRequired[EventDelivery]
    """
    Left out where there is no URL, or no number yet.
    """


class EventSchema(TypedDict):
    """
    A kind of event, and where its schema is.
    """

    event: str
    """
    As `x-event-type` says it.
    """
    summary: str
    url: str
    """
    The schema of its body, which is the schema's `$id` too.
    """


class EventSchemas(TypedDict):
    """
    Every kind of event that this version sends.
    """

    data: list[EventSchema]


EventType: TypeAlias = Literal[
    "ORDER-PAYIN.PAID",
    "ORDER-PAYIN.EXPIRED",
    "ORDER-PAYIN.CANCELED",
    "ORDER-PAYIN.ERROR",
    "ORDER-PAYOUT.PAID",
    "SUBSCRIPTION.ACCEPTED",
    "ACCOUNT.STATUS_CHANGED",
    "ACCOUNT.REJECTED",
    "MED.CREATED",
    "MED.STATUS_CHANGED",
    "ORDER-PAYIN.REFUNDED",
    "ORDER-PAYIN.REFUND_ERROR",
    "ORDER-PAYOUT.ERROR",
    "ORDER-PAYOUT.CANCELED",
    "ORDER-PAYOUT.EXPIRED",
    "ORDER-PAYOUT.REFUNDED",
    "ORDER-PAYOUT.PARTIAL_REFUNDED",
    "ORDER-PAYOUT.PARTIALLY_PAID",
    "ORDER-PAYOUT.RETRY_SCHEDULED",
    "SUBSCRIPTION.REJECTED",
    "SUBSCRIPTION.CANCELED",
    "SUBSCRIPTION.ERROR",
    "SUBSCRIPTION-PAYMENT.SCHEDULED",
    "SUBSCRIPTION-PAYMENT.CANCELED",
    "SUBSCRIPTION-PAYMENT.EXPIRED",
    "SUBSCRIPTION-PAYMENT.ERROR",
    "SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED",
    "ACCOUNT.CREATED",
    "ACCOUNT.PENDING_DOCUMENTS",
    "ACCOUNT.SETTLED",
    "KEY-CLAIM.STATUS_CHANGED",
    "MED.DEFENSE_DUE",
    "PAYOUT-PLAN.INVALID",
    "PAYOUT-PLAN.READY",
    "PAYOUT-PLAN.APPROVED",
    "PAYOUT-PLAN.APPLIED",
    "PAYOUT-PLAN.PARTIALLY_APPLIED",
    "PAYOUT-PLAN.FAILED",
    "PAYOUT-PLAN.CANCELED",
    "PAYOUT-PLAN.EXPIRED",
    "FEED.ERA_BEGAN",
]


class EventUrl(TypedDict):
    """
    The URL of an event type, for events without their own URL.
    """

    event: EventType
    url: NotRequired[str]
    """
    Left out: nowhere, they are told in the feed alone.
    """
    active: bool


FeedEventType: TypeAlias = Literal[
    "ORDER-PAYIN.PAID",
    "ORDER-PAYIN.EXPIRED",
    "ORDER-PAYIN.CANCELED",
    "ORDER-PAYIN.ERROR",
    "ORDER-PAYOUT.PAID",
    "SUBSCRIPTION.ACCEPTED",
    "ACCOUNT.STATUS_CHANGED",
    "ACCOUNT.REJECTED",
    "MED.CREATED",
    "MED.STATUS_CHANGED",
    "ORDER-PAYIN.REFUNDED",
    "ORDER-PAYIN.REFUND_ERROR",
    "ORDER-PAYOUT.ERROR",
    "ORDER-PAYOUT.CANCELED",
    "ORDER-PAYOUT.EXPIRED",
    "ORDER-PAYOUT.REFUNDED",
    "ORDER-PAYOUT.PARTIAL_REFUNDED",
    "ORDER-PAYOUT.PARTIALLY_PAID",
    "ORDER-PAYOUT.RETRY_SCHEDULED",
    "SUBSCRIPTION.REJECTED",
    "SUBSCRIPTION.CANCELED",
    "SUBSCRIPTION.ERROR",
    "SUBSCRIPTION-PAYMENT.SCHEDULED",
    "SUBSCRIPTION-PAYMENT.CANCELED",
    "SUBSCRIPTION-PAYMENT.EXPIRED",
    "SUBSCRIPTION-PAYMENT.ERROR",
    "SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED",
    "ACCOUNT.CREATED",
    "ACCOUNT.PENDING_DOCUMENTS",
    "ACCOUNT.SETTLED",
    "KEY-CLAIM.STATUS_CHANGED",
    "MED.DEFENSE_DUE",
    "PAYOUT-PLAN.INVALID",
    "PAYOUT-PLAN.READY",
    "PAYOUT-PLAN.APPROVED",
    "PAYOUT-PLAN.APPLIED",
    "PAYOUT-PLAN.PARTIALLY_APPLIED",
    "PAYOUT-PLAN.FAILED",
    "PAYOUT-PLAN.CANCELED",
    "PAYOUT-PLAN.EXPIRED",
    "FEED.ERA_BEGAN",
    "WEBHOOK.TEST",
]


FeesListedDirection: TypeAlias = Literal["IN", "OUT"]


FeesListedFeePayer: TypeAlias = Literal["RECEIVER", "CUSTOMER"]


Flag: TypeAlias = Literal["true", "false"]


ForeignPaymentReason: TypeAlias = Literal[
    "OTHER_KEY", "OTHER_AMOUNT", "BEFORE_ORDER", "REHEARSAL", "GIVEN_BACK", "DIFFERS_THERE", "UNKNOWN_THERE"
]


ForeignPaymentStatus: TypeAlias = Literal["FOUND", "CLAIMED", "CLOSED"]


Frequency: TypeAlias = Literal["WEEKLY", "MONTHLY", "QUARTERLY", "SEMIANNUAL", "ANNUAL"]


HolderDocumentType: TypeAlias = Literal[
    "CPF",
    "CNPJ",
    "RUC",
    "NATIONAL_ID",
    "PASSPORT",
    "FOREIGNER_ID",
    "CHANCERY_ID",
    "CEDULA_DE_CIUDADANIA",
    "CEDULA_DE_EXTRANJERIA",
    "NUMERO_DE_IDENTIFICACION_TRIBUTARIA",
    "OTHERS",
    "DNI",
    "CURP",
    "RFC",
]


HolderType: TypeAlias = Literal["INDIVIDUAL", "ORGANIZATION"]


InTheWayType: TypeAlias = Literal[
    "AVAILABLE",
    "HELD",
    "BLOCKED",
    "OWED",
    "PAYOUTS",
    "PLANS",
    "REFUNDS",
    "PAYMENTS",
    "ORDERS",
    "SCHEDULED_PAYMENTS",
    "DISPUTES",
]


class InitialCharge(TypedDict):
    """
    The charge that is paid in the same act as the authorization.
    """

    orderId: NotRequired[str]
    """
    Left out where none was made: the subscription was refused at once, as ERROR.
    """
    expireDateTime: str
    """
    The last instant at which a bank may pay it.
    """
    conciliationId: str
    """
    The txid that the network knows the charge by.
    """
    amount: BrlMoney
    leadsHere: NotRequired[bool]
    """
    Whether its Pix key still leads to the account. Once it does not, `qrcode` is left out and its location answers 410: cancel the subscription and make another one, with another key.
    """


class InitialChargeForm(TypedDict):
    """
    The charge that is paid in the same act as the authorization.
    """

    pixKey: str
    """
    A key of the account, for the charge's QR.
    """
    amount: BrlAmount


class Issuer(TypedDict):
    """
    The institution that gives the receipt, and that paid.
    """

    name: str
    ispb: str
    """
    Its id of 8 characters.
    """


class KeyBank(TypedDict):
    """
    The bank that would receive the money.
    """

    ispb: str
    """
    The institution's id of 8 characters.
    """
    name: NotRequired[str]
    """
    As the bank list has it; left out where it does not.
    """


class ListCloses(TypedDict):
    """
    A part of the list of requests, newest first.
    """

    skip: NotRequired[int | None]
    """
    How many are left out; none where nothing is said.
    """
    take: NotRequired[int | None]
    """
    How many are shown at most; 20 where nothing is said.
    """
    requireTotalCount: NotRequired[bool | None]
    """
    Whether they are counted, too.
    """


ListWebhookEventsStatus: TypeAlias = Literal["PENDING", "RETRYING", "FAILED", "DELIVERED", "ALL"]


class ListedCharge(TypedDict):
    """
    The same in a list: its picture is at its address.
    """

    qrcodeImageUrl: str
    """
    The picture's address. It cannot be guessed; no token.
    """
    qrcodeData: str
    """
    The code's text (EMV BR Code), to copy and paste.
    """
    expireDateTime: str
    """
    The last instant at which a bank may pay it.
    """
    conciliationId: str
    """
    The txid that the network knows the charge by.
    """


ListedClosingStatus: TypeAlias = Literal["PENDING", "CONFIRMED", "CANCELLED"]


class ListedStaticCode(TypedDict):
    """
    A static code as a list shows it: without its picture.
    """

    id: str
    accountId: str
    """
    The account that is credited.
    """
    pixKey: str
    """
    The key that is printed in it.
    """
    amount: NotRequired[BrlMoney]
    """
    Left out where the payer types it.
    """
    description: NotRequired[str]
    """
    As you sent it.
    """
    txid: str
    """
    The txid that is printed in it, and that the network tells with each payment of it.
    """
    qrcodeData: str
    """
    The code's text (EMV BR Code), to copy and paste.
    """
    leadsHere: bool
    """
    Whether its key still leads to the account. Once it does not, whoever pays the code pays the key's next holder, or nobody: replace it.
    """
    createdAt: str


class MaskedDocument(TypedDict):
    """
    The document of a key's owner, with some digits hidden.
    """

    type: DocumentType
    number: str
    """
    With stars in place of some digits.
    """


MedAnalysisResult: TypeAlias = Literal["AGREED", "DISAGREED", "TOTALLY_ACCEPTED", "PARTIALLY_ACCEPTED", "REJECTED"]


MedDocumentContentType: TypeAlias = Literal["application/pdf", "image/png", "image/jpeg"]


MedEventType: TypeAlias = Literal["CREATED", "STATUS_CHANGED"]


MedNotificationEventType: TypeAlias = Literal["CREATED", "STATUS_CHANGED", "DEFENSE_DUE"]


MedObjectType: TypeAlias = Literal["RECOVERY_VALUE", "INFRINGEMENT_NOTIFICATION", "REFUND_REQUEST"]


MedReason: TypeAlias = Literal["REFUND_REQUEST", "FRAUD", "OPERATIONAL_FLAW", "PIX_AUTOMATICO"]


MedRole: TypeAlias = Literal["PAYER", "RECEIVER"]


MedSituationType: TypeAlias = Literal[
    "SCAM", "UNAUTHORIZED_TRANSACTION", "CRIME_OF_COERCION", "FRAUDULENT_ACCESS_AND_AUTHORIZATION", "OTHERS"
]


MedStatus: TypeAlias = Literal[
    "CREATED", "TRACED", "WAITING_ANALYSIS", "ANALYSED", "WAITING_REFUND", "COMPLETED", "CANCELLED", "OPEN", "RECEIVED"
]


class MedTransaction(TypedDict):
    """
    A transaction that contested money went through.
    """

    endToEndId: str
    hop: int
    """
    1 is the contested one, 2 what its receiver did with the money.
    """
    amount: str
    """
    Reais, with two decimals.
    """
    payerBank: str
    """
    ISPB.
    """
    receiverBank: str
    """
    ISPB.
    """


class MessageEntry(TypedDict):
    """
    The network was told something, or told us.
    """

    kind: Literal["message"]
    at: str
    id: str
    direction: Direction
    network: str
    message: str
    networkId: str
    """
    The message's id in the network.
    """
    referenceId: NotRequired[str]
    """
    Of what went out: the payment, refund or payout it is about.
    """
    subject: NotRequired[str]
    """
    Of what came in: the endToEndId, control number or return id.
    """
    sends: int
    """
    How often it was sent, or taken in hand.
    """
    outcome: NotRequired[str]
    """
    Left out while it is open.
    """
    doneAt: NotRequired[str]


class Money(TypedDict):
    """
    An amount with its currency: one that accounts here may have.
    """

    currency: AmountCurrency
    """
    ISO 4217 code.
    """
    value: str
    """
    Decimal text with exactly the currency's decimals.
    """


class NamedCharge(TypedDict):
    """
    The charge of a recurrence that a bank tells of. Its status is not read.
    """

    txid: str


class NamedPayment(TypedDict):
    """
    A payment that a bank tells of. Its amount and time are not read.
    """

    endToEndId: str


class NamedRecurrence(TypedDict):
    """
    A recurrence that a bank tells of. Its status is not read.
    """

    idRec: str


class NewSecret(TypedDict):
    """
    A secret that is shown once.
    """

    secret: str
    """
    Signs your deliveries from now on.
    """


NextStepAction: TypeAlias = Literal[
    "AUTHORIZE", "SCHEDULE_PAYMENT", "SKIP_CYCLE", "AWAIT_ACCOUNT", "SEND_CHARGE", "COLLECT", "RETRY_PAYMENT", "END"
]


NextStepBy: TypeAlias = Literal["PAYER", "RECEIVER", "SERVICE"]


class NotifiedCharge(TypedDict):
    """
    The order of the subscription's first charge, where one was made.
    """

    id: str
    """
    The order's.
    """
    amount: BrlMoney
    endToEndId: NotRequired[str]
    """
    The payment's id in Pix, the same at both banks.
    """


NotifiedPaymentStatus: TypeAlias = Literal["SCHEDULED", "CANCELED", "EXPIRED", "ERROR"]


NotifiedSubscriptionStatus: TypeAlias = Literal["ACCEPTED", "REJECTED", "CANCELED", "ERROR"]


class NumberedAttempt(TypedDict):
    """
    One attempt at a delivery, with all that is known of it.
    """

    message: str
    """
    The first 1,000 characters of what your endpoint answered, or why there was no answer or none that counts: TIMEOUT, DNS_FAILURE, CONNECTION_REFUSED, CONNECTION_CLOSED, TLS_FAILURE, ADDRESS_REFUSED, REDIRECT, TOO_LARGE. Empty once the event's body is no longer kept.
    """
    statusCode: int
    """
    The HTTP status it answered; 0 where there was no answer.
    """
    requestTime: str
    number: int
    """
    The `x-delivery-attempt` it was sent with.
    """
    durationMs: int
    """
    How many milliseconds it took.
    """
    failure: NotRequired[DeliveryFailure]
    """
    Left out where you acknowledged.
    """


OAuthErrorError: TypeAlias = Literal[
    "invalid_client", "invalid_request", "invalid_scope", "temporarily_unavailable", "unsupported_grant_type"
]


class OAuthForm(TypedDict):
    """
    RFC 6749 §4.4. The client stands in Basic or in the body.
    """

    grant_type: Literal["client_credentials"]
    client_id: NotRequired[str]
    client_secret: NotRequired[str]
    scope: NotRequired[str]


class OAuthToken(TypedDict):
    """
    The same token, in the words of RFC 6749 §5.1.
    """

    access_token: str
    token_type: Literal["Bearer"]
    expires_in: int
    scope: str


ObjectKind: TypeAlias = Literal[
    "account",
    "accountRequest",
    "cancellation",
    "cardPayment",
    "chargeAttempt",
    "dispute",
    "key",
    "keyClaim",
    "keyValidation",
    "order",
    "payment",
    "payout",
    "plan",
    "refund",
    "scheduledPayment",
    "subscription",
]


class OfAccount(TypedDict):
    """
    The plan's effect on the balance of one account.
    """

    accountId: str
    available: BrlMoney
    """
    Now.
    """
    availableAfter: BrlMoney
    """
    Once all that is not yet made is paid with its fees; below zero: it lacks that much.
    """
    isCovered: bool
    """
    Whether the account has enough.
    """
    methods: list[ByMethod]


class OfPayment(TypedDict):
    """
    The scheduled payment of a subscription that an order collects.
    """

    id: str
    externalId: str
    """
    The payment's id in your system.
    """


class OfSubscription(TypedDict):
    """
    The subscription that an order belongs to.
    """

    id: str
    code: str
    """
    The subscription's `externalId`.
    """
    scheduledPayment: NotRequired[OfPayment]
    """
    There where the order is the charge of a cycle, not the first one.
    """


OneEventStatus: TypeAlias = Literal["PENDING", "RETRYING", "FAILED", "DELIVERED", "NONE"]


class OpeningAddressForm(TypedDict):
    """
    The holder's address or seat, in Brazil.
    """

    state: str
    """
    Two letters.
    """
    city: str
    neighborhood: str
    street: str
    number: str
    postalCode: str
    """
    CEP.
    """
    complement: NotRequired[str | None]


OpeningDocument: TypeAlias = Literal[
    "documentHolder",
    "selfieHolder",
    "pepDeclaration",
    "accountTerms",
    "socialContract",
    "cnpjCard",
    "documentRepresentative",
    "selfieRepresentative",
    "proofAddress",
    "balanceSheet",
    "partnerProofAddress",
    "proofBankAddress",
    "ir",
    "kyc",
    "incomeStatement",
]


class OpeningDocumentForm(TypedDict):
    """
    The number by which the tax office knows somebody.
    """

    type: DocumentType
    """
    CPF of a person, CNPJ of an organization.
    """
    number: str
    """
    Without punctuation, with its check digits.
    """


OpeningRequestStep: TypeAlias = Literal["PENDING_DOCUMENTS", "PENDING_ANALYSE", "COMPLETED", "REPROVED", "PENDING_PIX_KEY"]


OpeningStatus: TypeAlias = Literal["PENDING", "PENDING_DOCUMENTS", "ANALYSIS", "APPROVED", "REPROVED"]


class OpeningTaken(TypedDict):
    """
    A request that was taken.
    """

    accountRequestId: str
    status: OpeningStatus


class OpeningTerms(TypedDict):
    """
    The terms that the holder accepts.
    """

    holderType: HolderType
    version: str
    """
    For `termsAccepted.version`.
    """
    title: str
    text: str
    """
    In Portuguese; paragraphs are divided by a blank line.
    """
    fileName: str
    """
    For `acceptance.fileName`.
    """
    url: str
    """
    The same as a PDF.
    """
    publishedAt: str
    expiresAt: str | None
    """
    Until when it may be accepted; null: until another.
    """


class OpeningTermsForm(TypedDict):
    """
    The holder's acceptance of the terms.
    """

    version: str
    """
    As the terms were read.
    """
    acceptedAt: str
    """
    When.
    """
    ip: str
    """
    From where: IPv4 or IPv6.
    """


OrderStatus: TypeAlias = Literal[
    "INITIAL", "PENDING", "AUTHENTICATING", "PAID", "EXPIRED", "CANCELED", "ERROR", "REFUNDED", "PARTIAL_REFUNDED"
]


PayInNotificationEvent: TypeAlias = Literal[
    "ORDER-PAYIN.PAID", "ORDER-PAYIN.EXPIRED", "ORDER-PAYIN.CANCELED", "ORDER-PAYIN.ERROR"
]


PayInNotificationStatus: TypeAlias = Literal["PAID", "EXPIRED", "CANCELED", "ERROR"]


PayOutNotificationEvent: TypeAlias = Literal[
    "ORDER-PAYOUT.PAID",
    "ORDER-PAYOUT.ERROR",
    "ORDER-PAYOUT.CANCELED",
    "ORDER-PAYOUT.EXPIRED",
    "ORDER-PAYOUT.REFUNDED",
    "ORDER-PAYOUT.PARTIAL_REFUNDED",
    "ORDER-PAYOUT.PARTIALLY_PAID",
    "ORDER-PAYOUT.RETRY_SCHEDULED",
]


PayOutNotificationStatus: TypeAlias = Literal[
    "PAID", "ERROR", "CANCELED", "EXPIRED", "REFUNDED", "PARTIAL_REFUNDED", "PARTIALLY_PAID", "PENDING"
]


PayerDocumentType: TypeAlias = Literal["CPF", "CNPJ", "CURP", "RFC", "OTHERS"]


class PayersBank(TypedDict):
    """
    The account that pays.
    """

    ispb: str
    """
    The institution's id of 8 characters.
    """
    accountNumber: str
    branchNumber: NotRequired[str]


PaymentAttemptKind: TypeAlias = Literal["AGND", "NTAG", "RIFL"]


PaymentAttemptStatus: TypeAlias = Literal["REQUESTED", "SCHEDULED", "PAID", "REJECTED", "CANCELED", "EXPIRED"]


class PaymentDataForm(TypedDict):
    """
    The destination of the money: exactly one of the three.
    """

    pixKey: NotRequired[str | None]
    """
    A key of the directory, in its canonical form.
    """
    qrcodeData: NotRequired[str | None]
    """
    The text of a Pix QR, static or dynamic (Pix copia e cola).
    """
    bankAccount: NotRequired[BankAccountForm | None]
    """
    For TED the only way.
    """


class PaymentDetailsForm(TypedDict):
    """
    The card that pays the order: one that was typed, or one that is kept.
    """

    threeDsToken: NotRequired[str | None]
    cardToken: NotRequired[str | None]
    """
    A `cardToken` of your company.
    """
    installments: NotRequired[int | None]
    """
    1 where nothing is said; the same as in `creditCard`.
    """
    creditCard: NotRequired[CreditCardForm | None]
    browser: NotRequired[BrowserForm | None]
    """
    Required where the payer is authenticated, all of it but `javaEnabled`.
    """


PaymentNotificationEvent: TypeAlias = Literal[
    "SUBSCRIPTION-PAYMENT.SCHEDULED",
    "SUBSCRIPTION-PAYMENT.CANCELED",
    "SUBSCRIPTION-PAYMENT.EXPIRED",
    "SUBSCRIPTION-PAYMENT.ERROR",
]


class PaymentsSubscription(TypedDict):
    """
    The subscription that is charged.
    """

    id: str
    code: str
    """
    The subscription's `externalId`.
    """


PayoutCurrency: TypeAlias = Literal["BRL", "USD", "ARS", "EUR", "CLP", "COP", "MXN", "PEN", "BUSD", "USDT"]


PayoutReceiptStatus: TypeAlias = Literal["PAID", "PARTIALLY_PAID", "PARTIAL_REFUNDED", "REFUNDED"]


PayoutStatus: TypeAlias = Literal[
    "INITIAL",
    "PENDING",
    "PAID",
    "EXPIRED",
    "ANALYSIS",
    "REFUNDED",
    "PARTIAL_REFUNDED",
    "PARTIALLY_PAID",
    "CANCELED",
    "ERROR",
]


class PendingReason(TypedDict):
    """
    The reason why a request is pending.
    """

    code: Literal["MISSING_DOCUMENTS"]
    description: str


class PersonDocumentForm(TypedDict):
    """
    The document of a person or an organization in Brazil.
    """

    type: DocumentType
    """
    CPF of a person, CNPJ of an organization.
    """
    number: str
    """
    Without punctuation, with its check digits.
    """


class PixCharge(TypedDict):
    """
    The dynamic QR code of a PIX order, for one payment.
    """

    qrcodeImageUrl: str
    """
    The picture's address. It cannot be guessed; no token.
    """
    qrcodeImageBase64: str
    """
    The picture, a PNG in base64 without a `data:` prefix.
    """
    qrcodeData: str
    """
    The code's text (EMV BR Code), to copy and paste. Drawn elsewhere, take it byte for byte: error correction level M without a logo, Q with one.
    """
    expireDateTime: str
    """
    The last instant at which a bank may pay it.
    """
    conciliationId: str
    """
    The txid that the network knows the charge by.
    """


PixKeyType: TypeAlias = Literal["CPF", "CNPJ", "EMAIL", "PHONE", "RANDOM"]


class Place(TypedDict):
    """
    The destination of a line's money, as it was found.
    """

    name: str
    document: str
    """
    CPF without all but its middle digits; or CNPJ.
    """
    ispb: str
    branch: str
    account: str
    pixKey: NotRequired[str]


PlanFormat: TypeAlias = Literal["JSON", "CSV"]


PlanLineStatus: TypeAlias = Literal["VALID", "INVALID", "CREATED", "REFUSED"]


PlanNotificationEvent: TypeAlias = Literal[
    "PAYOUT-PLAN.INVALID",
    "PAYOUT-PLAN.READY",
    "PAYOUT-PLAN.APPROVED",
    "PAYOUT-PLAN.APPLIED",
    "PAYOUT-PLAN.PARTIALLY_APPLIED",
    "PAYOUT-PLAN.FAILED",
    "PAYOUT-PLAN.CANCELED",
    "PAYOUT-PLAN.EXPIRED",
]


PlanNotificationStatus: TypeAlias = Literal[
    "INVALID", "READY", "APPROVED", "APPLIED", "PARTIALLY_APPLIED", "FAILED", "CANCELED", "EXPIRED"
]


PlanStatus: TypeAlias = Literal[
    "VALIDATING", "INVALID", "READY", "APPROVED", "APPLYING", "APPLIED", "PARTIALLY_APPLIED", "FAILED", "CANCELED", "EXPIRED"
]


class Progress(TypedDict):
    """
    The counts of a plan's lines, by progress.
    """

    lines: int
    """
    Of the plan.
    """
    checked: int
    """
    Looked at.
    """
    unfit: int
    """
    INVALID when they were checked, or REFUSED when they were made.
    """
    created: int
    """
    Made to a payout.
    """


ReadStatementFormat: TypeAlias = Literal["json", "csv", "ofx", "cnab240", "camt053"]


class ReceiptDocument(TypedDict):
    """
    The CPF or CNPJ of a party, as receipts show it.
    """

    type: DocumentType
    number: str
    """
    Of a CPF the six digits in its middle; a CNPJ whole, without punctuation.
    """


class ReceiptReturn(TypedDict):
    """
    A return of money by the receiver.
    """

    returnId: str
    """
    The network's id: of a return by Pix `D…`, of a TED that came back its STR number.
    """
    payoutId: str
    """
    The payout, or the transfer of the batch, that it is of.
    """
    amount: str
    """
    Decimal text with a dot.
    """
    returnedAt: str
    """
    When the network settled it.
    """


class ReceiptTransfer(TypedDict):
    """
    One transfer of a batch, paid or not.
    """

    id: str
    sequence: int
    """
    Its place in the batch, from 1.
    """
    status: PayoutStatus
    amount: str
    """
    Decimal text with a dot.
    """
    returnedAmount: NotRequired[str]
    """
    Decimal text with a dot.
    """
    endToEndId: NotRequired[str]
    """
    The payment's id in Pix, the same at both banks.
    """
    controlNumber: NotRequired[str]
    """
    Of a TED, the STR's; to an account here ours.
    """
    paidAt: NotRequired[str]
    """
    Left out where it was not paid.
    """


class ReceiverDocumentForm(TypedDict):
    """
    The receiver's document.
    """

    type: DocumentType
    """
    CPF of a person, CNPJ of an organization.
    """
    number: str
    """
    Without punctuation, with its check digits.
    """


class ReceiverForm(TypedDict):
    """
    The receiver of the payout.
    """

    name: str
    document: ReceiverDocumentForm


RefundNetworkRefundCode: TypeAlias = Literal["MD06", "SL02"]


RefundNotificationEvent: TypeAlias = Literal["ORDER-PAYIN.REFUNDED", "ORDER-PAYIN.REFUND_ERROR"]


RefundNotificationStatus: TypeAlias = Literal["PAID", "PARTIAL_REFUNDED", "REFUNDED"]


RefundStatus: TypeAlias = Literal["PENDING", "PAID", "ERROR"]


class RefusalReason(TypedDict):
    """
    The reason why a request was refused.
    """

    code: str
    description: str
    """
    The code again, where nothing more is known.
    """


class RejectedNotification(TypedDict):
    """
    A request was refused.
    """

    event: Literal["ACCOUNT.REJECTED"]
    occurredAt: str
    requestId: str
    status: Literal["REJECTED"]
    reason: RefusalReason
    rejectedFields: list[OpeningDocument]
    """
    Values of `documentType` that may be uploaded again; none: it is definitive.
    """


class RepresentativeForm1(TypedDict):
    """
    A person who acts for the organization.
    """

    name: str
    email: str
    phone: str
    """
    With the country, E.164.
    """
    birthDate: str
    document: OpeningDocumentForm | None
    documentNumber: NotRequired[str | None]
    """
    The CPF, in place of `document`.
    """
    country: NotRequired[str | None]
    """
    BR: accounts are opened in Brazil alone.
    """


class RepresentativeForm2(TypedDict):
    """
    A person who acts for the organization.
    """

    name: str
    email: str
    phone: str
    """
    With the country, E.164.
    """
    birthDate: str
    document: NotRequired[OpeningDocumentForm | None]
    documentNumber: str | None
    """
    The CPF, in place of `document`.
    """
    country: NotRequired[str | None]
    """
    BR: accounts are opened in Brazil alone.
    """


RepresentativeForm: TypeAlias = RepresentativeForm1 | RepresentativeForm2
"""
A person who acts for the organization.
"""


class RequestClose(TypedDict):
    """
    The request to close an account for ever.
    """

    closeRequestReason: str
    """
    Why; told with the event of the closing.
    """


class ResendCode(TypedDict):
    """
    Another code for a validation.
    """

    validationId: str
    """
    As the creation answered it.
    """


From: TypeAlias = str | None
"""
Made at or after: a date (in Brasilia) or a timestamp.
"""


To: TypeAlias = str | None
"""
Made at or before: a date (in Brasilia) or a timestamp.
"""


ResendFilterStatus: TypeAlias = Literal["DELIVERED", "FAILED", "RETRYING"]


class Resending(TypedDict):
    """
    The number of events to send again.
    """

    count: int
    """
    How many events are queued, or would be.
    """
    hasMore: bool
    """
    Whether others may fit the filter too, which this call leaves.
    """
    nextFrom: NotRequired[str]
    """
    The `filter.from` that goes on behind them, where there may be more.
    """


class Resent(TypedDict):
    """
    An event that was queued again.
    """

    id: str
    status: Literal["PENDING"]
    """
    Delivery is asynchronous: it has not been sent yet.
    """


class RetryPayment(TypedDict):
    """
    The day of the next attempt, where retries are left to you.
    """

    date: str
    """
    Later than today, within seven days of the due date, before the next cycle.
    """


class SchedulePayment(TypedDict):
    """
    A charge of one cycle of an accepted subscription.
    """

    externalId: str
    """
    The payment's id in your system.
    """
    dueDate: str
    """
    It says whose cycle the charge is. Settled in three days at the soonest, at most 366 days ahead.
    """
    amount: NotRequired[BrlAmount | None]
    """
    Required unless the subscription has a `fixedAmount`, which it then equals.
    """
    description: NotRequired[str | None]
    """
    What is paid; the payer reads it.
    """
    autoRetry: NotRequired[bool | None]
    """
    false: after an unpaid day you choose the next one by `retry`; else the service tries one, three and five days after the due date, as far as these come after the settlement day.
    """


ScheduledPaymentReason: TypeAlias = Literal["REQUESTED_BY_RECEIVER", "REQUESTED_BY_PAYER", "SUBSCRIPTION_CANCELED", "OTHER"]


ScheduledPaymentStatus: TypeAlias = Literal["SCHEDULED", "PENDING", "PAID", "CANCELED", "EXPIRED", "ERROR"]


class SendTest(TypedDict):
    """
    The event to send as a test, and its URL.
    """

    event: EventType
    """
    The type whose example is sent.
    """
    url: NotRequired[str | None]
    """
    Left out: where your company has events of this type sent.
    """


SetWebhookMode: TypeAlias = Literal["MERGE", "REPLACE"]


class Signed(TypedDict):
    """
    An approval.
    """

    clientId: str
    approvedAt: str
    counts: bool
    """
    False once the client or person was revoked: then another has to sign.
    """


class Slip(TypedDict):
    """
    The boleto with which the customer pays a BOLETO order.
    """

    barcode: str
    """
    What its bars say, 44 digits.
    """
    digitableLine: str
    """
    The same as people type it, 47 digits.
    """
    dueDate: str
    payableUntil: str
    """
    The last day on which a bank takes it.
    """
    pdfUrl: str
    """
    The slip to print. The address cannot be guessed; no token.
    """
    qrcodeData: NotRequired[str]
    """
    A Pix code for the same order, printed on the slip; there where the account has a key.
    """


Sort: TypeAlias = Literal["asc", "desc"]


class Spei(TypedDict):
    """
    The CLABE that a SPEI order is paid to: from any bank of Mexico, in one transfer or in several.
    """

    clabe: str
    """
    Of this order alone.
    """
    beneficiary: str
    """
    Who is paid.
    """
    bankCode: str
    """
    Of the CLABE's bank.
    """
    reference: str
    """
    A number to write in the transfer; nothing depends on it.
    """


StateEntry = TypedDict(
    "StateEntry",
    {
        "kind": Literal["state"],
        "at": str,
        "object": ObjectKind,
        "id": str,
        "from": NotRequired[str],
        "to": str,
        "trigger": str,
        "txid": NotRequired[str],
        "reason": NotRequired[str],
        "cure": NotRequired[str],
        "tried": NotRequired[str],
        "day": NotRequired[str],
        "requestId": NotRequired[str],
    },
)


class StaticQrcode(TypedDict):
    """
    A static code. Nothing that is printed in it ever changes.
    """

    id: str
    accountId: str
    """
    The account that is credited.
    """
    pixKey: str
    """
    The key that is printed in it.
    """
    amount: NotRequired[BrlMoney]
    """
    Left out where the payer types it.
    """
    description: NotRequired[str]
    """
    As you sent it.
    """
    txid: str
    """
    The txid that is printed in it, and that the network tells with each payment of it.
    """
    qrcodeData: str
    """
    The code's text (EMV BR Code), to copy and paste.
    """
    leadsHere: bool
    """
    Whether its key still leads to the account. Once it does not, whoever pays the code pays the key's next holder, or nobody: replace it.
    """
    createdAt: str
    qrcodeImageBase64: str
    """
    The picture, a PNG in base64 without a `data:` prefix.
    """


class StaticQrcodes(TypedDict):
    """
    A page of static codes.
    """

    limit: int
    """
    How many rows a page has at most.
    """
    sort: Sort
    """
    By createdAt.
    """
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page; left out on the last one.
    """
    hasNext: bool
    data: list[ListedStaticCode]


class StatusEntry(TypedDict):
    """
    A status that was taken, and when.
    """

    status: str
    createdAt: str


class StatusReason(TypedDict):
    """
    The reason why the status has changed.
    """

    code: str
    """
    One word of a list that may grow.
    """
    description: str
    """
    For people; the code, where there is no more to say.
    """


SubscriptionNotificationEvent: TypeAlias = Literal[
    "SUBSCRIPTION.ACCEPTED", "SUBSCRIPTION.REJECTED", "SUBSCRIPTION.CANCELED", "SUBSCRIPTION.ERROR"
]


SubscriptionStatus: TypeAlias = Literal["INITIAL", "PENDING_AUTHORIZATION", "ACCEPTED", "REJECTED", "CANCELED", "ERROR"]


SubscriptionType: TypeAlias = Literal["AUTHORIZATION_QRCODE", "AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT"]


class TestData(TypedDict):
    """
    The event that is sent as a test.
    """

    event: EventType
    """
    The type that you asked for.
    """
    payload: NotRequired[dict[str, Any]]
    """
    The example that the documentation has of it; left out where it has none yet.
    """


class TestNotification(TypedDict):
    """
    An event that you asked for, to see whether it arrives. Nothing has happened.
    """

    event: Literal["WEBHOOK.TEST"]
    occurredAt: str
    data: TestData


ThreeDsStatus: TypeAlias = Literal[
    "PENDING", "CHALLENGE_REQUIRED", "AUTHENTICATED", "FAILED", "TIMEOUT", "CANCELED", "SKIPPED"
]


class Token(TypedDict):
    """
    A bearer token.
    """

    tokenType: Literal["Bearer"]
    expiresIn: int
    """
    Seconds.
    """
    token: str
    """
    A JWT (EdDSA). Send it as `authorization: Bearer …`.
    """


Scope: TypeAlias = str


class TokenForm(TypedDict):
    """
    A client and its secret.
    """

    clientId: str
    clientSecret: str
    scopes: NotRequired[list[Scope] | None]
    """
    There is one scope; what a client may do within it are its permissions. `api://<id>/.default` is taken of any id.
    """


class TokenOfCard(TypedDict):
    """
    A token that stands for a card.
    """

    cardToken: str
    """
    Pays orders of your company by this card.
    """
    token: str
    """
    Another name of `cardToken`.
    """
    card3DSToken: str
    """
    Another name of `cardToken`.
    """
    brand: str
    lastFour: str
    expiry: str
    """
    `MM/YY`.
    """


TransferEntryMovement: TypeAlias = Literal["held", "moved", "posted", "voided"]


TroubledEndpointState: TypeAlias = Literal["OPEN", "HALF_OPEN"]


WebhookStatus: TypeAlias = Literal["ACTIVE", "INACTIVE"]


class AccountBalance(TypedDict):
    """
    The balance of one account in one currency.
    """

    accountId: str
    currency: BalanceCurrency
    """
    ISO 4217 code.
    """
    available: BalanceMoney
    held: BalanceMoney
    """
    Set aside for what is on its way out.
    """
    blocked: BalanceMoney
    """
    Contested; it may have to go back.
    """
    balance: BalanceMoney
    """
    Another name of `available`.
    """
    provisioned: BalanceMoney
    """
    Another name of `held`.
    """
    asOf: str


class AccountKey(TypedDict):
    """
    A key that leads to an account.
    """

    id: str
    type: PixKeyType
    key: str
    """
    As the directory has it.
    """
    createdAt: str
    possedAt: str
    """
    Since when the key leads to this account.
    """
    claimId: NotRequired[str]
    """
    The open claim of the key by another bank; it still leads here meanwhile.
    """


class AccountKeys(TypedDict):
    """
    A page of an account's keys.
    """

    limit: int
    """
    How many rows a page has at most.
    """
    sort: Sort
    """
    By createdAt.
    """
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page; left out on the last one.
    """
    hasNext: bool
    data: list[AccountKey]


class Allowance(TypedDict):
    """
    One limit and what has been used of it.
    """

    used: BrlMoney
    """
    Sent or held, without what has failed.
    """
    limit: NotRequired[BrlMoney]
    """
    Left out where there is none.
    """
    left: NotRequired[BrlMoney]
    """
    Left out where there is no limit.
    """
    raisedTo: NotRequired[BrlMoney]
    """
    A higher limit that was asked for, from `raisedAt` on; left out: none at all.
    """
    raisedAt: NotRequired[str]
    """
    When a higher limit holds; left out where none was asked for.
    """


class Amount(TypedDict):
    """
    An amount with its currency: a decimal text with a dot, or a number, from 0.01 to 9,999,999,999.99.
    """

    currency: AmountCurrency
    """
    ISO 4217 code.
    """
    value: str | float
    """
    Read from its text as it stands: `10.5`, `"10.50"` and `1050e-2` are the same amount.
    """


class AnswerClaim(TypedDict):
    """
    The holder's decision about a claim, with the code that verifies him.
    """

    validationId: str
    """
    As the creation answered it.
    """
    token: str
    """
    The code.
    """
    decision: AnswerClaimDecision
    """
    As donor: give the key up, or keep it. As claimer: take it, or not.
    """


class Balance(TypedDict):
    """
    The balance of one account, or of all together, in one currency.
    """

    accountId: NotRequired[str]
    """
    The account; of the company's total left out.
    """
    currency: BalanceCurrency
    """
    ISO 4217 code.
    """
    available: BalanceMoney
    held: BalanceMoney
    """
    Set aside for what is on its way out.
    """
    blocked: BalanceMoney
    """
    Contested; it may have to go back.
    """
    balance: BalanceMoney
    """
    Another name of `available`.
    """
    provisioned: BalanceMoney
    """
    Another name of `held`.
    """
    asOf: str
    accounts: NotRequired[list[AccountBalance]]
    """
    Each account of the company's, beside the total.
    """


class BankListed(TypedDict):
    """
    An institution that can be paid.
    """

    ispb: str
    """
    The institution's id of 8 characters.
    """
    bankNumber: NotRequired[str]
    """
    Its COMPE number of three digits; one without leaves it out.
    """
    shortName: str
    """
    As the Central Bank abbreviates it.
    """
    name: str
    """
    In full, as far as the Central Bank's lists have it.
    """
    methods: list[BankMethod]
    """
    What reaches it: `PIX`, `TED` or both.
    """


class BankNotice(TypedDict):
    """
    A bank's body, as API Pix has it: one of the lists. Fields beside are ignored.
    """

    pix: NotRequired[list[NamedPayment] | None]
    recs: NotRequired[list[NamedRecurrence] | None]
    cobsr: NotRequired[list[NamedCharge] | None]


class BanksListed(TypedDict):
    """
    The bank list, by ISPB.
    """

    data: list[BankListed]


class CancelSubscription(TypedDict):
    """
    The end of a subscription, as the receiver wants it.
    """

    reason: NotRequired[CancelSubscriptionReason | None]
    """
    REQUESTED_BY_RECEIVER where nothing is said.
    """


class CheckoutState(TypedDict):
    """
    The state of an order, for a page that polls it.
    """

    status: OrderStatus
    late: bool
    """
    Its last instant has passed, and whether a payment came in time is not known yet.
    """
    keyLeft: bool
    """
    Its Pix key leads to somebody else: its code is not shown, and nobody should pay it.
    """
    over: bool
    """
    Nobody needs to wait any more.
    """


class Child(TypedDict):
    """
    One transfer of a batch.
    """

    id: str
    idempotencyKey: str
    """
    The batch's own for the first; `-2`, `-3` … behind it for the others.
    """
    sequence: int
    """
    Its place in the batch, from 1.
    """
    amount: str
    """
    Decimal text with a dot.
    """
    status: PayoutStatus
    endToEndId: NotRequired[str]
    """
    Of a Pix.
    """
    controlNumber: NotRequired[str]
    """
    Of a TED, as a payout's.
    """
    paidAt: NotRequired[str]
    errorCode: NotRequired[str]
    """
    As that of a payout.
    """
    errorMessage: NotRequired[str]


class Claim(TypedDict):
    """
    A claim of a key.
    """

    accountId: str
    """
    The account that wants the key (CLAIMER) or has it (DONOR).
    """
    role: ClaimRole
    claimType: ClaimType
    type: ClaimKeyType
    """
    Of the key.
    """
    key: str
    keyId: NotRequired[str]
    """
    The key here: that is claimed, or that a completed claim has brought.
    """
    status: ClaimStatus
    otherBank: str
    """
    ISPB of the bank on the other side.
    """
    reason: NotRequired[str]
    """
    Why it was confirmed or canceled.
    """
    completionFrom: NotRequired[str]
    """
    From when on the claimer completes an ownership, by proving possession again.
    """
    completionUntil: NotRequired[str]
    """
    When an ownership that was not completed is canceled: day 30.
    """
    id: str
    """
    The directory's own.
    """
    awaitsDecision: bool
    """
    Whether `confirm-request` sends a code now: to the donor, who may still say that an ownership is a fraud after it was CONFIRMED, or to the claimer who proves possession again.
    """
    resolutionUntil: str
    """
    Until when the donor may answer.
    """
    affected: NotRequired[AffectedObjects]
    """
    In the answer to a CONFIRM by which the key left: what names it.
    """
    createdAt: str
    updatedAt: str


class ClaimList(TypedDict):
    """
    A page of an account's claims.
    """

    limit: int
    """
    How many rows a page has at most.
    """
    sort: Sort
    """
    By createdAt.
    """
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page; left out on the last one.
    """
    hasNext: bool
    data: list[Claim]


class ClaimNotification(TypedDict):
    """
    A claim is there, or has taken another status.
    """

    accountId: str
    """
    The account that wants the key (CLAIMER) or has it (DONOR).
    """
    role: ClaimRole
    claimType: ClaimType
    type: ClaimKeyType
    """
    Of the key.
    """
    key: str
    keyId: NotRequired[str]
    """
    The key here: that is claimed, or that a completed claim has brought.
    """
    status: ClaimStatus
    otherBank: str
    """
    ISPB of the bank on the other side.
    """
    reason: NotRequired[str]
    """
    Why it was confirmed or canceled.
    """
    completionFrom: NotRequired[str]
    """
    From when on the claimer completes an ownership, by proving possession again.
    """
    completionUntil: NotRequired[str]
    """
    When an ownership that was not completed is canceled: day 30.
    """
    claimId: str
    event: Literal["KEY-CLAIM.STATUS_CHANGED"]
    previousStatus: NotRequired[ClaimStatus]
    """
    The status before; left out of the first notification.
    """
    occurredAt: str
    """
    When it was so at the directory.
    """
    affected: NotRequired[AffectedObjects]
    """
    With CONFIRMED, as DONOR: the key has left, and this names it.
    """


class ClaimOrCode(TypedDict):
    """
    The claim (201), or, where a code was sent, the validation (202).
    """

    id: NotRequired[str]
    accountId: NotRequired[str]
    role: NotRequired[ClaimRole]
    claimType: NotRequired[ClaimType]
    type: NotRequired[ClaimKeyType]
    key: NotRequired[str]
    keyId: NotRequired[str]
    status: NotRequired[ClaimStatus]
    otherBank: NotRequired[str]
    reason: NotRequired[str]
    awaitsDecision: NotRequired[bool]
    resolutionUntil: NotRequired[str]
    completionFrom: NotRequired[str]
    completionUntil: NotRequired[str]
    createdAt: NotRequired[str]
    updatedAt: NotRequired[str]
    validationId: NotRequired[str]
    """
    What the code is confirmed under.
    """
    expiresAt: NotRequired[str]
    """
    Until when the code holds.
    """


class ContestForm(TypedDict):
    """
    A Pix that an account has sent, contested.
    """

    endToEndId: str
    """
    Of the Pix that the account has sent.
    """
    situationType: ContestFormSituationType
    """
    What happened. OTHERS needs `details`; UNKNOWN counts as OTHERS, and needs none.
    """
    details: NotRequired[str | None]
    """
    What happened, in words.
    """


class Counterparty(TypedDict):
    """
    The other party, as far as it is known.
    """

    name: str
    document: NotRequired[CounterpartyDocument]


class CreateKey(TypedDict):
    """
    A key that is to lead to the account.
    """

    type: PixKeyType
    """
    CPF and CNPJ: the holder's own. RANDOM: the directory makes one. EMAIL and PHONE: after a code.
    """
    key: NotRequired[str | None]
    """
    All but RANDOM. CPF and CNPJ without punctuation; a phone as `+5511987654321`; capitals of an e-mail address become small letters.
    """
    channel: NotRequired[CodeChannel | None]
    """
    How the code is sent: EMAIL to an EMAIL key, SMS to a PHONE key; left out, as the type says. WHATSAPP is taken for SMS.
    """


class CreatePayout(TypedDict):
    """
    Money to be sent from one of your accounts.
    """

    externalId: str
    """
    The payout's id in your system.
    """
    accountId: str
    """
    The account that pays.
    """
    paymentMethod: BankMethod
    paymentData: PaymentDataForm
    amount: BrlAmount
    description: str
    """
    What is paid; the receiver reads it.
    """
    receiver: NotRequired[ReceiverForm | None]
    """
    Required with `bankAccount`. With a key or a QR its document, where given, must be the owner's; the name is not compared.
    """
    scheduledDate: NotRequired[str | None]
    """
    The day in Brasilia on which it is to be sent; the money is held then.
    """
    allowDuplicate: NotRequired[bool | None]
    """
    Says that an equal payout within ten minutes is meant.
    """


class CreateRefund(TypedDict):
    """
    Money to be given back to who has paid an order.
    """

    orderId: str
    """
    The order that was paid.
    """
    externalId: str
    """
    The refund's id in your system.
    """
    amount: Amount
    """
    Part of what was paid, or all of it.
    """
    refundCode: str
    """
    MD06: you or the payer ask for it. Or an upper-case word of yours such as RECEIVER_REQUEST: it is kept, and MD06 is sent.
    """
    refundReason: NotRequired[str | None]
    """
    Why, for your own records; told to nobody.
    """
    description: NotRequired[str | None]
    """
    What the payer is told with the money.
    """


class CreatedKey(TypedDict):
    """
    The key (201), or, where a code was sent, the validation (202).
    """

    id: NotRequired[str]
    type: NotRequired[PixKeyType]
    key: NotRequired[str]
    """
    As the directory has it.
    """
    createdAt: NotRequired[str]
    possedAt: NotRequired[str]
    """
    Since when the key leads to this account.
    """
    validationId: NotRequired[str]
    """
    What the code is confirmed under.
    """
    expiresAt: NotRequired[str]
    """
    Until when the code holds.
    """


class CreatedPayIn(TypedDict):
    """
    A pay-in as its create answers it: what is needed to have it paid.
    """

    id: str
    """
    Of the order, which has the same id at `/order/v2/transparent`.
    """
    status: OrderStatus
    qrcodeData: str
    """
    The code's text (EMV BR Code), to copy and paste.
    """
    qrcodeImageBase64: str
    """
    The picture, a PNG in base64 without a `data:` prefix.
    """
    expireDateTime: str
    """
    The last instant at which a bank may pay it.
    """
    conciliationId: str
    """
    The txid that the network knows the charge by.
    """


class CreatedSubscription(TypedDict):
    """
    A subscription as its create answers it.
    """

    id: str
    status: SubscriptionStatus
    qrcodeImageBase64: str
    """
    The code's picture, a PNG in base64 without a `data:` prefix.
    """
    qrcodeData: str
    """
    The code's text (EMV BR Code), to copy and paste.
    """
    initialCharge: NotRequired[InitialCharge]
    providerId: str
    """
    What the network knows it by (idRec).
    """
    externalId: str
    """
    The subscription's id in your system.
    """


class DebtorForm(TypedDict):
    """
    The contract's debtor; the payer may be someone else.
    """

    document: PersonDocumentForm
    name: str


class Document(TypedDict):
    """
    The tax id of a person (CPF) or an organization (CNPJ).
    """

    type: DocumentType
    number: str
    """
    Digits; a CNPJ may have letters.
    """


class DocumentForm(TypedDict):
    """
    A document of any of the five types.
    """

    type: PayerDocumentType
    """
    CPF and CNPJ of Brazil, CURP and RFC of Mexico.
    """
    number: str
    """
    Without punctuation; CPF and CNPJ with their check digits.
    """


class DocumentTaken(TypedDict):
    """
    A document that was taken.
    """

    documentType: OpeningDocument
    missingRequiredDocuments: list[OpeningDocument]
    """
    Documents that are waited for: values of `documentType` of the upload.
    """


class Entry(TypedDict):
    """
    One thing that moved the account.
    """

    id: str
    """
    Of the entry; of a batch that was joined, the batch's.
    """
    operation: Direction
    type: str
    """
    What moved the account; the guide explains each.
    """
    amount: Money
    """
    Never below zero; `operation` says which way it went.
    """
    balanceAfter: Money
    """
    What the account had then, available and held together.
    """
    description: NotRequired[str]
    orderId: NotRequired[str]
    """
    The order that was paid or given back.
    """
    endToEndId: NotRequired[str]
    """
    The payment's id in its network.
    """
    controlNumber: NotRequired[str]
    """
    The STR's number of a TED.
    """
    txid: NotRequired[str]
    """
    That the Pix carried: of a charge its `conciliationId`, of a static code its own.
    """
    counterparty: NotRequired[Counterparty]
    createdAt: str


class ErrorDetail(TypedDict):
    """
    One thing that is wrong with a request.
    """

    field: str
    """
    JSON path in the body, or a header or query name.
    """
    issue: ErrorDetailIssue
    """
    A word for programs.
    """
    description: str
    """
    A sentence for people, which may change.
    """


class EventSetting(TypedDict):
    """
    The URL of an event type, for events without their own URL.
    """

    event: EventType
    """
    The type.
    """
    url: NotRequired[str | None]
    """
    Where to; left out, they are told in the feed alone.
    """
    active: NotRequired[bool | None]
    """
    `false`: not to this URL; an event beyond the interface's own then goes to no URL, an object's neither. Left out: `true`.
    """


class Events(TypedDict):
    """
    A page of events; by default, those that failed to be delivered.
    """

    limit: int
    """
    How many rows a page has at most.
    """
    sort: Sort
    """
    By createdAt.
    """
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page; left out on the last one.
    """
    hasNext: bool
    data: list[Event]


class FeedEvent(TypedDict):
    """
    An event of the feed.
    """

    sequence: int
    """
    1, 2, 3 and so on in your company, without a gap but at an era's beginning.
    """
    follows: NotRequired[int]
    """
    The first event of an era: the number in front of it. Those between are never given.
    """
    id: str
    """
    The `x-event-id` of its deliveries.
    """
    event: FeedEventType
    """
    What happened, as `x-event-type` says it.
    """
    referenceId: str
    """
    The object it tells of, for example an order.
    """
    createdAt: str
    payload: dict[str, Any]
    """
    The body of its deliveries, byte for byte.
    """


class Fees(TypedDict):
    """
    The fees of the order, due when it is paid.
    """

    fixed: Money
    variable: NotRequired[Money]
    """
    The share of the amount; left out while an open amount is not known.
    """
    additional: Money


class FeesListed(TypedDict):
    """
    The fee of one method, from an instant on.
    """

    direction: FeesListedDirection
    """
    `IN`: of an order that is paid. `OUT`: of a payout.
    """
    paymentMethod: str
    fixed: Money
    """
    Of each order or payout.
    """
    variablePercent: str
    """
    The share of its amount, in percent, rounded half to even to the cent.
    """
    additional: Money
    """
    Of each, beside `fixed`.
    """
    feePayer: NotRequired[FeesListedFeePayer]
    """
    `RECEIVER`: taken from what the account is credited. `CUSTOMER`: on top of what the customer pays, so that `finalAmount` = `amount` + fees. Left out of payouts, whose fee the sending account bears.
    """
    validFrom: str
    """
    Holds from this instant.
    """
    validUntil: NotRequired[str]
    """
    When the next plan of the method takes over; left out where none is known.
    """


class FeesOfCompany(TypedDict):
    """
    The present and future fees, by direction and method; a method without one is free.
    """

    data: list[FeesListed]


class ForeignPayment(TypedDict):
    """
    A Pix at your own bank that no order asked for. Its money is not moved here, and never given back.
    """

    id: str
    status: ForeignPaymentStatus
    """
    `CLAIMED`: a person of yours says which order it pays. `CLOSED`: that it pays none.
    """
    connection: str
    """
    The connection to your bank that found it.
    """
    endToEndId: str
    """
    The Pix's id, as the bank tells it.
    """
    txid: NotRequired[str]
    """
    That it carried. Left out where the bank tells none.
    """
    pixKey: NotRequired[str]
    """
    Your paid key. Left out where the bank tells none.
    """
    reason: NotRequired[ForeignPaymentReason]
    """
    Why it pays no order although one of yours has its txid: its amount is not the order's, it is older than the order, or it came to another key. `REHEARSAL`: lastro made it itself, and gives it back. The others: what your bank said when a person claimed it. Left out for the rest.
    """
    amount: BrlMoney
    paidAt: str
    """
    When your bank had it.
    """
    orderId: NotRequired[str]
    """
    The order that it was claimed for.
    """
    createdAt: str
    """
    When it was found here.
    """
    updatedAt: str


class ForeignPayments(TypedDict):
    """
    A page of foreign payments.
    """

    limit: int
    """
    How many rows a page has at most.
    """
    sort: Sort
    """
    By createdAt.
    """
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page; left out on the last one.
    """
    hasNext: bool
    data: list[ForeignPayment]


class HolderDocument(TypedDict):
    """
    The number by which a state knows the holder.
    """

    type: HolderDocumentType
    number: str


class InTheWay(TypedDict):
    """
    One thing that stands in the way of closing an account.
    """

    type: InTheWayType
    amount: NotRequired[Money]
    """
    Of money: how much, in one currency.
    """
    count: NotRequired[int]
    """
    Of what is unfinished: how many.
    """


class KeyOwner(TypedDict):
    """
    The owner of the key, who would be paid.
    """

    name: str
    document: MaskedDocument


class LargestLine(TypedDict):
    """
    The line of a plan that pays most.
    """

    line: int
    """
    Its place in the list, or the line of the file.
    """
    externalId: NotRequired[str]
    amount: BrlMoney
    receiver: NotRequired[Place]
    """
    Left out of what a decision answers, and once the receiver's data are erased.
    """


class ListedClosing(TypedDict):
    """
    A request to close an account. Its words are those of clients of other platforms.
    """

    id: str
    closeAccountRequestId: str
    """
    Another name of `id`.
    """
    accountId: str
    status: ListedClosingStatus
    """
    REQUESTED, COMPLETED and REFUSED of the request.
    """
    closeRequestReason: NotRequired[str]
    createdAt: str
    updatedAt: str


class LookedUpKey(TypedDict):
    """
    A key of the directory.
    """

    key: str
    type: PixKeyType
    owner: KeyOwner
    bank: KeyBank


class MedChange(TypedDict):
    """
    A status that an object took.
    """

    status: MedStatus
    previousStatus: NotRequired[MedStatus]
    """
    Left out of its first.
    """
    occurredAt: str
    """
    When it was recorded here.
    """


class MedDocument(TypedDict):
    """
    A file of a defense.
    """

    documentId: str
    fileName: str
    """
    Under which it is saved.
    """
    contentType: MedDocumentContentType
    """
    By what is in it.
    """
    size: int
    """
    Of what is kept of it, in bytes.
    """
    sha256: str
    """
    Of the file as it was sent, in hexadecimal digits.
    """
    createdAt: str


class MedListed(TypedDict):
    """
    An object in a list, or in the `related` of a case.
    """

    objectType: MedObjectType
    referenceId: str
    """
    The object's id at the directory, or that of its receiver's side: see `directoryId`.
    """
    accountId: str
    """
    The account that was debited (PAYER) or credited (RECEIVER).
    """
    status: MedStatus
    previousStatus: NotRequired[MedStatus]
    """
    The status before; left out of the first notification.
    """
    endToEndId: NotRequired[str]
    """
    The contested transaction; of a recovery value the first one.
    """
    recoveryId: NotRequired[str]
    """
    The recovery value that it belongs to, of a recovery value itself.
    """
    reason: NotRequired[MedReason]
    """
    Of a notification or a refund request.
    """
    type: NotRequired[MedSituationType]
    """
    What happened, as who contests it says.
    """
    amount: NotRequired[str]
    """
    Contested, or asked back.
    """
    returnedAmount: NotRequired[str]
    """
    What has been given back.
    """
    analysisResult: NotRequired[MedAnalysisResult]
    """
    How it was decided.
    """
    role: NotRequired[MedRole]
    """
    PAYER: the account was debited; RECEIVER: it was credited.
    """
    awaitingOurAnalysis: NotRequired[bool]
    """
    Whether this institution has to decide; you have to do nothing.
    """
    defenseDueAt: NotRequired[str]
    """
    Until when you may give a defense to a notification about your money.
    """
    eventType: MedEventType
    """
    What was told of it last.
    """
    occurredAt: str
    """
    Since when it has its status at the directory.
    """
    deadline: str
    """
    By when it has to have ended.
    """
    blockedAmount: str
    """
    What of the account it keeps from being used.
    """
    rejectionReason: NotRequired[str]
    """
    Why a refund request was rejected.
    """
    requestingBank: NotRequired[str]
    """
    Of a refund request: the ISPB of who asks.
    """
    details: NotRequired[str]
    """
    Of a refund request: why, as who asks says.
    """
    directoryId: NotRequired[str]
    """
    The object's id at the directory, where its payer has an account here, too: RECEIVER alone.
    """
    lackingAmount: NotRequired[str]
    """
    Of a refund request: what later credits of the account are blocked for.
    """
    laterReturnedAmount: NotRequired[str]
    """
    What was given back of them, beside `returnedAmount`.
    """
    monitoredUntil: NotRequired[str]
    """
    Until when its account is watched for what a request lacks, or was.
    """
    defense: NotRequired[str]
    """
    What the account's holder has said to a notification.
    """
    defendedAt: NotRequired[str]
    """
    When that was said.
    """
    createdAt: str
    updatedAt: str


class MedNotification(TypedDict):
    """
    An object of a dispute is there, or has taken another status.
    """

    objectType: MedObjectType
    referenceId: str
    """
    The object's id at the directory, or that of its receiver's side: see `directoryId`.
    """
    accountId: str
    """
    The account that was debited (PAYER) or credited (RECEIVER).
    """
    status: MedStatus
    previousStatus: NotRequired[MedStatus]
    """
    The status before; left out of the first notification.
    """
    endToEndId: NotRequired[str]
    """
    The contested transaction; of a recovery value the first one.
    """
    recoveryId: NotRequired[str]
    """
    The recovery value that it belongs to, of a recovery value itself.
    """
    reason: NotRequired[MedReason]
    """
    Of a notification or a refund request.
    """
    type: NotRequired[MedSituationType]
    """
    What happened, as who contests it says.
    """
    amount: NotRequired[str]
    """
    Contested, or asked back.
    """
    returnedAmount: NotRequired[str]
    """
    What has been given back.
    """
    analysisResult: NotRequired[MedAnalysisResult]
    """
    How it was decided.
    """
    role: NotRequired[MedRole]
    """
    PAYER: the account was debited; RECEIVER: it was credited.
    """
    awaitingOurAnalysis: NotRequired[bool]
    """
    Whether this institution has to decide; you have to do nothing.
    """
    defenseDueAt: NotRequired[str]
    """
    Until when you may give a defense to a notification about your money.
    """
    eventType: MedNotificationEventType
    occurredAt: str
    """
    When it was so at the directory.
    """


class MethodLimits(TypedDict):
    """
    The limits of the account for one method.
    """

    paymentMethod: BankMethod
    transaction: BrlMoney
    """
    Above it a payout is split into transfers.
    """
    day: Allowance
    """
    From 06:00 to 06:00 of Brasilia.
    """
    night: Allowance
    """
    From 20:00 to 06:00 of Brasilia; it counts for the day, too.
    """


class NextStep(TypedDict):
    """
    Something that is to come: who does what, and when.
    """

    action: NextStepAction
    """
    SKIP_CYCLE: the cycle of `firstDueDate` gets no charge by itself. AWAIT_ACCOUNT: no charge is made before the account is ACTIVE again, that of `firstDueDate` by itself only until `until`.
    """
    by: NextStepBy
    at: NotRequired[str]
    """
    When it happens, or from when on it can be done.
    """
    until: NotRequired[str]
    """
    When it is too late for it.
    """
    firstDueDate: NotRequired[str]
    """
    The first `dueDate` that a charge may have.
    """
    lastDueDate: NotRequired[str]
    """
    The last one.
    """
    paymentId: NotRequired[str]
    """
    The scheduled payment that it is about.
    """


class NotifiedPayment(TypedDict):
    """
    The scheduled payment, as it is now.
    """

    id: str
    externalId: str
    """
    The payment's id in your system.
    """
    status: NotifiedPaymentStatus
    subscription: PaymentsSubscription
    orderId: str
    """
    The order that it is collected for.
    """
    dueDate: str
    adjustedDueDate: str
    """
    The day on which it is settled.
    """
    amount: BrlMoney
    reason: NotRequired[ScheduledPaymentReason]
    """
    Why it was canceled.
    """
    errorCode: NotRequired[str]
    """
    Why it ended without money, as the network says.
    """
    errorMessage: NotRequired[str]
    """
    The same with an English sentence.
    """


class OAuthError(TypedDict):
    """
    RFC 6749 §5.2.
    """

    error: OAuthErrorError


class OneEvent(TypedDict):
    """
    An event with what it says, and every attempt to deliver it.
    """

    id: str
    """
    The `x-event-id` of its deliveries.
    """
    event: FeedEventType
    """
    What happened, as `x-event-type` says it.
    """
    referenceId: str
    """
    The object it tells of, for example an order.
    """
    webhookUrl: NotRequired[str]
    """
    Where it is sent; left out where it is told in the feed alone.
    """
    status: OneEventStatus
    """
    NONE: it is told in the feed alone.
    """
    sequence: NotRequired[int]
    """
    Its number in the feed; left out for the moment until it has one.
    """
    createdAt: str
    updatedAt: NotRequired[str]
    """
    When an attempt or a resend last changed it.
    """
    nextAttemptAt: NotRequired[str]
    """
    When its next attempt is due; left out where none is.
    """
    payload: NotRequired[dict[str, Any]]
    """
    The body of its deliveries, byte for byte; left out once it is older than bodies are kept.
    """
    history: list[NumberedAttempt]
    """
    Every attempt, oldest first.
    """


class OpenClaim(TypedDict):
    """
    The key at another bank to claim for the account.
    """

    claimType: ClaimType
    """
    PORTABILITY: the holder has it at another bank. CLAIM_OWNERSHIP: somebody else has the phone.
    """
    type: PixKeyType
    """
    Of the key: CPF, CNPJ, EMAIL or PHONE.
    """
    key: NotRequired[str | None]
    """
    As when a key is created.
    """
    channel: NotRequired[CodeChannel | None]
    """
    How the code is sent: EMAIL to an EMAIL key, SMS to a PHONE key; left out, as the type says. WHATSAPP is taken for SMS.
    """


class OpeningForm1(TypedDict):
    """
    Somebody for whom an account is to be opened.
    """

    holderType: HolderType
    fullName: str
    document: OpeningDocumentForm
    email: str
    phone: str
    """
    With the country, E.164.
    """
    birthDate: str
    """
    Of birth, or of foundation.
    """
    address: OpeningAddressForm
    externalId: str | None
    """
    Yours; unique among your requests. With `acceptance` it may be left out: then it is that of the request.
    """
    termsAccepted: OpeningTermsForm | None
    """
    This, or `acceptance`.
    """
    acceptance: NotRequired[AcceptanceForm | None]
    """
    The terms accepted as a file, in place of `termsAccepted`.
    """
    country: NotRequired[str | None]
    """
    BR: accounts are opened in Brazil alone.
    """
    alias: NotRequired[str | None]
    """
    What you call the account; shown with the request.
    """
    tradeName: NotRequired[str | None]
    """
    Of an organization, where it has one.
    """
    representatives: NotRequired[list[RepresentativeForm] | None]
    """
    Of an organization: at least one.
    """


class OpeningForm2(TypedDict):
    """
    Somebody for whom an account is to be opened.
    """

    holderType: HolderType
    fullName: str
    document: OpeningDocumentForm
    email: str
    phone: str
    """
    With the country, E.164.
    """
    birthDate: str
    """
    Of birth, or of foundation.
    """
    address: OpeningAddressForm
    externalId: NotRequired[str | None]
    """
    Yours; unique among your requests. With `acceptance` it may be left out: then it is that of the request.
    """
    termsAccepted: NotRequired[OpeningTermsForm | None]
    """
    This, or `acceptance`.
    """
    acceptance: AcceptanceForm | None
    """
    The terms accepted as a file, in place of `termsAccepted`.
    """
    country: NotRequired[str | None]
    """
    BR: accounts are opened in Brazil alone.
    """
    alias: NotRequired[str | None]
    """
    What you call the account; shown with the request.
    """
    tradeName: NotRequired[str | None]
    """
    Of an organization, where it has one.
    """
    representatives: NotRequired[list[RepresentativeForm] | None]
    """
    Of an organization: at least one.
    """


OpeningForm: TypeAlias = OpeningForm1 | OpeningForm2
"""
Somebody for whom an account is to be opened.
"""


class OpeningRequest(TypedDict):
    """
    The state of a request to open an account.
    """

    accountRequestId: str
    externalId: str
    status: OpeningStatus
    step: OpeningRequestStep
    alias: NotRequired[str]
    """
    What you call the account.
    """
    missingRequiredDocuments: list[OpeningDocument]
    """
    Documents that are waited for: values of `documentType` of the upload.
    """
    reprovedReason: NotRequired[str]
    """
    Code of the refusal.
    """
    reprovedDescription: NotRequired[str]
    reprovedFields: NotRequired[list[OpeningDocument]]
    """
    Of a refusal: documents that may be uploaded again; with none it is definitive.
    """
    accountId: NotRequired[str]
    """
    The account, once it is opened.
    """


class OrderForm(TypedDict):
    """
    The order to create.
    """

    externalId: str
    """
    The order's id in your system.
    """
    paymentMethod: str
    """
    PIX. DEPOSIT, BOLETO, CREDIT_CARD, SPEI, OXXO, OXXOPAY, PAYNET and `<BRAND>_PAY` (crypto) need a partner.
    """
    description: str
    """
    What is paid; the payer reads it.
    """
    notificationUrl: str
    """
    Where you are told what becomes of the order: https, reachable from outside.
    """
    amount: NotRequired[Amount]
    """
    Left out, not null: the payer types it (PIX alone).
    """
    accountId: NotRequired[str | None]
    """
    The account to credit; else that of `pixKey`, else the company's default.
    """
    returnUrl: NotRequired[str | None]
    """
    Where the customer returns to after paying.
    """
    financialPartner: NotRequired[str | None]
    """
    The partner whose route the order goes by.
    """
    expiration: NotRequired[int | None]
    """
    Seconds until a PIX order ends; 86,400 where nothing is said.
    """
    pixKey: NotRequired[str | None]
    """
    A key of the account, for PIX; its oldest random key where nothing is said.
    """
    paymentDetails: NotRequired[PaymentDetailsForm | None]
    """
    For CREDIT_CARD, and required there.
    """
    bank: NotRequired[str | None]
    """
    For DEPOSIT: the bank's slug.
    """


class PayInPayer(TypedDict):
    """
    The customer of the order. Anybody may pay it.
    """

    name: str
    document: DocumentForm


class PayerDocument(TypedDict):
    """
    The payer's tax id. A payer in BRL has a CPF or a CNPJ; a customer has the document that you gave.
    """

    type: PayerDocumentType
    number: str
    """
    Without punctuation.
    """


class PayerForm(TypedDict):
    """
    The payer. With a first charge only this document may pay; without one it is stored and nothing else.
    """

    document: PersonDocumentForm
    name: str


class PaymentAttempt(TypedDict):
    """
    A try to collect it on a day.
    """

    kind: PaymentAttemptKind
    """
    AGND: scheduled for its day. NTAG: a new try after the due date. RIFL: the same again, since something failed.
    """
    date: str
    """
    The day, in Brasilia.
    """
    status: PaymentAttemptStatus
    """
    REQUESTED: sent, and not answered. SCHEDULED: the payer's bank will collect.
    """
    endToEndId: NotRequired[str]
    """
    The payment's id in Pix, the same at both banks.
    """
    errorCode: NotRequired[str]
    """
    Why it did not collect, as the network says.
    """
    errorMessage: NotRequired[str]
    """
    The same with an English sentence.
    """
    errorCure: NotRequired[str]
    """
    What to do about it.
    """


class PaymentNotification(TypedDict):
    """
    A scheduled payment was made, or has ended without money.
    """

    event: PaymentNotificationEvent
    occurredAt: str
    data: NotifiedPayment


class PendingDocumentsNotification(TypedDict):
    """
    A request waits for documents.
    """

    event: Literal["ACCOUNT.PENDING_DOCUMENTS"]
    occurredAt: str
    requestId: str
    status: Literal["PENDING_DOCUMENTS"]
    reason: PendingReason
    missingRequiredDocuments: list[OpeningDocument]
    """
    Documents that are waited for: values of `documentType` of the upload.
    """


class PixKey(TypedDict):
    """
    A key of the Pix directory.
    """

    type: PixKeyType
    key: str


class PlanLine(TypedDict):
    """
    One payout of a plan.
    """

    line: int
    """
    Its place in the list, from 1; of a CSV the line of the file.
    """
    status: PlanLineStatus
    externalId: NotRequired[str]
    accountId: NotRequired[str]
    paymentMethod: NotRequired[str]
    amount: NotRequired[BrlMoney]
    fee: NotRequired[BrlMoney]
    transfers: NotRequired[int]
    """
    Into how many it is split.
    """
    receiver: NotRequired[Place]
    possibleDuplicate: NotRequired[str]
    """
    An equal payout of the last ten minutes, or an equal line before it.
    """
    issues: NotRequired[list[ErrorDetail]]
    """
    Why it is no payout.
    """
    payoutId: NotRequired[str]
    payoutStatus: NotRequired[str]
    """
    Of its payout, now.
    """


class PlanNotification(TypedDict):
    """
    A plan of payouts has turned.
    """

    id: str
    event: PlanNotificationEvent
    status: PlanNotificationStatus
    updatedAt: str
    type: Literal["PAYOUT-PLAN"]
    message: str
    """
    In English, for you.
    """
    hash: NotRequired[str]
    """
    What approvals sign; left out while lines are being checked.
    """
    lines: int
    created: int
    """
    Payouts that were made of it.
    """
    unfit: int
    """
    Lines that no payout was made of, and why stands on each.
    """


class PlanRow(TypedDict):
    """
    A plan in a list.
    """

    id: str
    status: PlanStatus
    format: PlanFormat
    lines: int
    hash: NotRequired[str]
    """
    SHA-256 over all lines as they were checked: what was asked, where it goes, what it costs. It is what approvals sign.
    """
    approvalsRequired: int
    """
    How many clients have to sign it.
    """
    createdBy: str
    """
    The client that made it, and cannot approve it.
    """
    expiresAt: NotRequired[str]
    """
    It can be applied until then.
    """
    createdAt: str
    updatedAt: str


class PlanTotals(TypedDict):
    """
    The totals of a plan, without the lines that were refused.
    """

    payouts: int
    """
    How many lines are paid.
    """
    transfers: int
    """
    After those above the account's limit are split.
    """
    receivers: int
    """
    How many receivers: each a document at an account of an institution.
    """
    amount: BrlMoney
    fees: BrlMoney
    largest: NotRequired[LargestLine]


class Plans(TypedDict):
    """
    A page of plans.
    """

    limit: int
    """
    How many rows a page has at most.
    """
    sort: Sort
    """
    By createdAt.
    """
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page; left out on the last one.
    """
    hasNext: bool
    data: list[PlanRow]


class Receiver(TypedDict):
    """
    The receiver of the charges.
    """

    id: str
    """
    The account that its charges credit.
    """
    fullName: str
    document: Document


class Refund(TypedDict):
    """
    Money that is given back, or was, or could not be.
    """

    id: str
    orderId: str
    """
    The order that it gives back.
    """
    externalId: str
    """
    The refund's id in your system.
    """
    status: RefundStatus
    amount: Money
    refundCode: str
    """
    As you gave it: a code, or your word.
    """
    networkRefundCode: RefundNetworkRefundCode
    """
    As the network has it.
    """
    refundReason: NotRequired[str]
    """
    Why, in your words; told to nobody.
    """
    description: NotRequired[str]
    """
    What the payer is told with the money.
    """
    returnId: str
    """
    The refund's id in Pix, the same at both banks.
    """
    errorCode: NotRequired[str]
    """
    Why the status is ERROR, as the network says it.
    """
    errorMessage: NotRequired[str]
    """
    The same as a sentence.
    """
    createdAt: str
    updatedAt: str


class Refunds(TypedDict):
    """
    A page of refunds.
    """

    limit: int
    """
    How many rows a page has at most.
    """
    sort: Sort
    """
    By createdAt.
    """
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page; left out on the last one.
    """
    hasNext: bool
    data: list[Refund]


class Requester(TypedDict):
    """
    The party that asked for the cancellation.
    """

    document: Document


ResendFilter = TypedDict(
    "ResendFilter",
    {
        "status": NotRequired[ResendFilterStatus | None],
        "event": NotRequired[FeedEventType | None],
        "referenceId": NotRequired[str | None],
        "url": NotRequired[str | None],
        "from": NotRequired[From],
        "to": NotRequired[To],
    },
)


class SetWebhook(TypedDict):
    """
    The types of events that are set anew.
    """

    events: list[EventSetting]
    mode: NotRequired[SetWebhookMode | None]
    """
    REPLACE: types that are not named lose their URL. Left out: MERGE, they stay as they are.
    """


class SetWebhooks(TypedDict):
    """
    Your company's event URLs after they were set.
    """

    events: list[EventUrl]
    status: WebhookStatus
    """
    ACTIVE: some type is sent to a URL that is set here.
    """
    updatedAt: NotRequired[str]
    """
    When one was set last; left out before the first.
    """
    changed: list[EventType]
    """
    The types that were set anew; none: nothing changed.
    """


class StatusNotification(TypedDict):
    """
    An account was blocked, unblocked or closed.
    """

    accountId: str
    event: Literal["ACCOUNT.STATUS_CHANGED"]
    occurredAt: str
    status: AccountStatus
    """
    After the change.
    """
    previousStatus: AccountStatus
    """
    Before it.
    """
    reason: StatusReason


class SubscriptionPayer(TypedDict):
    """
    The payer who authorized it, as the payer's bank says.
    """

    name: NotRequired[str]
    document: Document
    bankData: NotRequired[PayersBank]
    """
    Left out where the receiver's own bank collects and does not tell it.
    """


class SubscriptionPayment(TypedDict):
    """
    The charge of one cycle of a subscription.
    """

    id: str
    externalId: str
    """
    The payment's id in your system.
    """
    subscriptionId: str
    orderId: str
    """
    The order that is PAID when it is settled.
    """
    status: ScheduledPaymentStatus
    dueDate: str
    """
    It decides whose cycle the charge is.
    """
    adjustedDueDate: str
    """
    The day on which it is settled: the next business day, where `dueDate` may move.
    """
    amount: BrlMoney
    description: NotRequired[str]
    autoRetry: bool
    """
    Whether the service itself tries again after an unpaid day.
    """
    attempts: list[PaymentAttempt]
    """
    Oldest first.
    """
    retriesLeft: int
    """
    How many more tries there may still be after the due date.
    """
    lastRetryDate: NotRequired[str]
    """
    The last day of a try after the due date; left out where the subscription allows none.
    """
    cancelRequestedAt: NotRequired[str]
    """
    There while the payer's bank has not answered your cancellation.
    """
    cancelRejectedAt: NotRequired[str]
    """
    When the payer's bank said no to it: the payment goes on.
    """
    cancelErrorCode: NotRequired[str]
    """
    Why it said no, as the network says.
    """
    cancelErrorMessage: NotRequired[str]
    """
    The same with an English sentence.
    """
    reason: NotRequired[ScheduledPaymentReason]
    """
    Why it was canceled.
    """
    errorCode: NotRequired[str]
    """
    Why it ended without money, as the network says.
    """
    errorMessage: NotRequired[str]
    """
    The same with an English sentence.
    """
    createdAt: str
    updatedAt: str


class SubscriptionPayments(TypedDict):
    """
    A page of scheduled payments.
    """

    limit: int
    """
    How many rows a page has at most.
    """
    sort: Sort
    """
    By createdAt.
    """
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page; left out on the last one.
    """
    hasNext: bool
    data: list[SubscriptionPayment]


class ThreeDs(TypedDict):
    """
    The 3-D Secure authentication of a card's payer.
    """

    challengeUrl: str
    """
    Send the payer there: it leads on to his bank where that asks. No token.
    """
    challengeAccessToken: str
    """
    What the address ends with.
    """
    status: ThreeDsStatus


class TransferEntry(TypedDict):
    """
    Money was booked.
    """

    kind: Literal["transfer"]
    at: str
    id: str
    referenceId: str
    """
    The order, payment, refund or payout it was booked for.
    """
    entry: str
    """
    The statement's word for it.
    """
    movement: TransferEntryMovement
    """
    Moved at once; or held, and later posted (it moved) or voided (it did not).
    """
    debit: str
    """
    Code of the ledger account it came from.
    """
    credit: str
    """
    Code of the ledger account it went to.
    """
    amount: Money


class TriedPayment(TypedDict):
    """
    The scheduled payment, as it is after the try.
    """

    id: str
    externalId: str
    """
    The payment's id in your system.
    """
    status: ScheduledPaymentStatus
    subscription: PaymentsSubscription
    orderId: str
    """
    The order that it is collected for.
    """
    dueDate: str
    adjustedDueDate: str
    """
    The day on which it is settled.
    """
    amount: BrlMoney
    attempt: PaymentAttempt
    """
    The try that collected nothing.
    """
    nextActions: list[NextStep]
    """
    What may follow: the next try, or another charge of the same cycle; empty where nothing may.
    """


class TroubledEndpoint(TypedDict):
    """
    An endpoint that gave no answer to several events in a row. Its events wait, and use up no attempts.
    """

    url: str
    """
    Scheme, host and port.
    """
    state: TroubledEndpointState
    """
    OPEN: nothing is sent. HALF_OPEN: one event is sent, to see who answers.
    """
    since: str
    failure: DeliveryFailure
    """
    How the last attempt failed.
    """
    nextAttemptAt: str
    """
    When one event is sent again; the others follow as soon as it is answered.
    """


class WebhookNow(TypedDict):
    """
    Your company's event URLs, and the endpoints that do not answer.
    """

    events: list[EventUrl]
    status: WebhookStatus
    """
    ACTIVE: some type is sent to a URL that is set here.
    """
    updatedAt: NotRequired[str]
    """
    When one was set last; left out before the first.
    """
    endpoints: list[TroubledEndpoint]
    """
    Endpoints that do not answer at present; none when all is well.
    """


class Account(TypedDict):
    """
    An account opened under your company. Ask for its balance separately.
    """

    id: str
    status: AccountStatus
    holderType: HolderType
    fullName: str
    """
    Of the person or the company.
    """
    email: str
    phone: str
    document: HolderDocument
    bankAccountData: BankAccount
    createdAt: str


class AccountLimits(TypedDict):
    """
    The limits of an account, and what is left of them now.
    """

    accountId: str
    date: str
    """
    The day in which is counted now; before 06:00 it is the one before.
    """
    data: list[MethodLimits]


class Accounts(TypedDict):
    """
    A page of accounts.
    """

    nextCursor: str | None
    """
    The `cursor` of the next page; null on the last one.
    """
    hasNext: bool
    data: list[Account]


class ApiError(TypedDict):
    """
    The body of every refusal.
    """

    error: ApiErrorError
    message: str
    details: list[ErrorDetail]


class AttemptNotification(TypedDict):
    """
    A try to collect a scheduled payment has ended without money.
    """

    event: Literal["SUBSCRIPTION-PAYMENT.ATTEMPT_FAILED"]
    occurredAt: str
    data: TriedPayment


class AuthorizingPayer(TypedDict):
    """
    The payer who authorized, as the payer's bank says.
    """

    document: Document
    bank: AuthorizingBank
    ibgeCode: str
    """
    IBGE's number of the payer's city.
    """


class Bank(TypedDict):
    """
    An account at an institution, as far as the network says.
    """

    ispb: NotRequired[str]
    """
    The institution's id of 8 characters.
    """
    name: NotRequired[str]
    """
    The institution's name.
    """
    branch: NotRequired[str]
    account: NotRequired[str]
    accountType: NotRequired[AccountType]
    code: NotRequired[str]
    """
    The institution's COMPE number.
    """
    pix: NotRequired[PixKey]
    """
    The key that the money used.
    """


class Batch(TypedDict):
    """
    The transfers that a payout above its account's limit was split into. The three counts add up to all of them.
    """

    id: str
    transactionsCount: int
    paidCount: int
    """
    Paid, returned or not.
    """
    failedCount: int
    """
    ERROR, EXPIRED or CANCELED.
    """
    pendingCount: int
    paidAmount: str
    """
    Decimal text with a dot.
    """
    pendingAmount: str
    """
    Decimal text with a dot.
    """
    transactions: list[Child]


class Cancellation(TypedDict):
    """
    A request to cancel a subscription, and its result.
    """

    id: str
    idempotencyKey: str
    """
    As it was sent; where none was, the cancellation's id.
    """
    status: CancellationStatus
    statusHistory: list[StatusEntry]
    """
    Oldest first.
    """
    reason: CancellationReason
    requestedBy: Requester
    errorCode: NotRequired[str]
    """
    Why it was REJECTED, or is in ERROR, in the network's code.
    """
    errorMessage: NotRequired[str]
    """
    The same in words.
    """
    createdAt: str
    updatedAt: str


class Closing(TypedDict):
    """
    A request to close an account.
    """

    id: str
    closeAccountRequestId: str
    """
    Another name of `id`.
    """
    accountId: str
    status: ClosingStatus
    """
    REQUESTED: the account is CLOSED, and what hangs on it is being ended. COMPLETED: that is done. REFUSED: something stood in the way, and the account is as it was.
    """
    closeRequestReason: NotRequired[str]
    """
    In your words.
    """
    obstacles: NotRequired[list[InTheWay]]
    """
    Of one that is REFUSED: all of it.
    """
    createdAt: str
    updatedAt: str


class Closings(TypedDict):
    """
    Some requests to close accounts, newest first.
    """

    data: list[ListedClosing]
    totalCount: NotRequired[int]
    """
    Of all requests; left out unless it is asked for.
    """


class CreatePayIn(TypedDict):
    """
    The pay-in to create.
    """

    externalId: str
    """
    The order's id in your system.
    """
    accountId: str
    """
    The account that is credited.
    """
    paymentMethod: Literal["PIX"]
    """
    PIX alone.
    """
    amount: BrlAmount
    """
    What is to be paid. An open amount is had by `PUT /order/v2/transparent`.
    """
    pixKey: NotRequired[str | None]
    """
    A key of the account; its oldest random key where nothing is said.
    """
    payer: NotRequired[PayInPayer | None]
    """
    Required, except where your company has a route that takes the customer from who pays.
    """
    description: NotRequired[str | None]
    """
    What is paid; the payer reads it. Left out, he reads `externalId`.
    """
    expiration: NotRequired[int | None]
    """
    Seconds until it can no longer be paid; 86,400 where nothing is said.
    """


class CreateSubscription(TypedDict):
    """
    A recurring charge that a payer is to authorize.
    """

    accountId: str
    """
    The account that is paid; its holder is an organization.
    """
    type: SubscriptionType
    """
    AUTHORIZATION_QRCODE: the code authorizes, charges follow. AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT: who pays the first charge by the code authorizes in the same act.
    """
    allowChargeAfterDueDate: bool
    """
    Whether a charge left unpaid on its day may be tried again, three times within seven days of its due date.
    """
    allowAdjustToBusinessDay: bool
    """
    Whether a charge due on a weekend or a national bank holiday is settled on the next business day; local holidays move nothing.
    """
    frequencyType: Frequency
    startDate: str
    """
    The first day of the first cycle, in Brasilia today or later.
    """
    debtor: DebtorForm
    webhookUrl: str
    """
    Where you are told what becomes of it and of its charges: https, reachable from outside.
    """
    externalId: str
    """
    The subscription's id in your system.
    """
    endDate: NotRequired[str | None]
    """
    The last day on which a charge may be due; later than `startDate`.
    """
    fixedAmount: NotRequired[BrlAmount | None]
    """
    What each charge is of. Not together with `maxAmountFloor`.
    """
    maxAmountFloor: NotRequired[BrlAmount | None]
    """
    The least maximum that the payer may set for a charge. Not together with `fixedAmount`.
    """
    payer: NotRequired[PayerForm | None]
    initialCharge: NotRequired[InitialChargeForm | None]
    """
    Required with AUTHORIZATION_QRCODE_IMMEDIATE_PAYMENT, refused with AUTHORIZATION_QRCODE.
    """
    description: NotRequired[str | None]
    """
    What is paid for; the payer reads its first 35 characters.
    """
    autoSchedule: NotRequired[bool | None]
    """
    With `fixedAmount`: the service itself schedules each cycle's charge for its first day.
    """


class CreatedOrder(TypedDict):
    """
    An order as its create answers it.
    """

    id: str
    externalId: str
    """
    The order's id in your system.
    """
    code: str
    """
    Another name of `externalId`.
    """
    status: OrderStatus
    paymentMethod: str
    amount: NotRequired[Money]
    """
    Left out where the payer types it.
    """
    description: str
    additionalInfo: str
    """
    Another name of `description`.
    """
    createdAt: str
    pix: NotRequired[PixCharge]
    """
    There where the method is PIX.
    """
    boleto: NotRequired[Slip]
    """
    There where the method is BOLETO.
    """
    threeDs: NotRequired[ThreeDs]
    """
    There where the method is CREDIT_CARD.
    """
    card: NotRequired[Card]
    """
    There where the method is CREDIT_CARD.
    """
    spei: NotRequired[Spei]
    """
    There where the method is SPEI.
    """
    deposit: NotRequired[Deposit]
    """
    There where the method is DEPOSIT.
    """
    cash: NotRequired[CashVoucher]
    """
    There where the method is OXXO, OXXOPAY or PAYNET.
    """
    crypto: NotRequired[CryptoCharge]
    """
    There where the method is `<BRAND>_PAY`.
    """
    fees: Fees
    feeFix: Money
    """
    Another name of `fees.fixed`.
    """
    feeVar: NotRequired[Money]
    """
    Another name of `fees.variable`.
    """
    feeAdd: Money
    """
    Another name of `fees.additional`.
    """
    finalAmount: NotRequired[Money]
    """
    What the customer pays, fees included where the customer bears them. Open: left out.
    """
    errorMessage: NotRequired[str]
    """
    Why the status is ERROR.
    """
    checkoutUrl: NotRequired[str]
    """
    The page where the customer sees how to pay and what became of it. It cannot be guessed; no token. There where you made the order; left out of orders older than the page.
    """
    orderToken: NotRequired[str]
    """
    What `returnUrl` is followed with, as `orderToken`.
    """


class CreatedPayout(TypedDict):
    """
    A payout. It is PENDING while its network has not spoken, ANALYSIS while a person has to approve it; you are told of
        the end.
    """

    id: str
    externalId: str
    status: PayoutStatus
    amount: str
    """
    Decimal text with a dot.
    """
    currency: PayoutCurrency
    """
    ISO 4217 code.
    """
    description: str
    endToEndId: str
    """
    The payment's id in Pix, fixed before anything is sent; of a batch its first transfer's; of a TED, which has none, the empty text.
    """
    controlNumber: NotRequired[str]
    """
    Of a TED, once the STR has given it; of one to an account here ours, at once; of a batch its first transfer's.
    """
    batch: NotRequired[Batch]
    """
    Where the payout was split.
    """
    errorMessage: NotRequired[str]
    """
    The network's raw code, or a word of ours, a colon and an English sentence.
    """


class CustomerForm(TypedDict):
    """
    The customer who is asked to pay.
    """

    name: str
    entityType: HolderType
    document: DocumentForm
    email: str
    phone: NotRequired[str | None]
    birthDate: NotRequired[str | None]
    """
    Of birth, or of foundation.
    """
    country: NotRequired[str | None]
    address: NotRequired[AddressForm | None]
    ip: NotRequired[str | None]
    """
    IPv4 or IPv6.
    """


class Debtor(TypedDict):
    """
    The contract's debtor.
    """

    document: Document
    name: str


class Entries(TypedDict):
    """
    A page of a statement.
    """

    limit: int
    """
    How many rows a page has at most.
    """
    sort: Sort
    """
    By createdAt.
    """
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page; left out on the last one.
    """
    hasNext: bool
    data: list[Entry]


class Feed(TypedDict):
    """
    Events in the order of their numbers.
    """

    limit: int
    """
    How many events come at most.
    """
    hasNext: bool
    """
    Whether there are more already.
    """
    era: NotRequired[str]
    """
    When the present era began; another one says that a backup was put back.
    """
    lastSequence: int
    """
    The last number; none is known behind it.
    """
    data: list[FeedEvent]


class FullPlan(TypedDict):
    """
    A plan: what it comes to, how far it is, who has signed it.
    """

    id: str
    status: PlanStatus
    format: PlanFormat
    lines: int
    hash: NotRequired[str]
    """
    SHA-256 over all lines as they were checked: what was asked, where it goes, what it costs. It is what approvals sign.
    """
    approvalsRequired: int
    """
    How many clients have to sign it.
    """
    createdBy: str
    """
    The client that made it, and cannot approve it.
    """
    expiresAt: NotRequired[str]
    """
    It can be applied until then.
    """
    createdAt: str
    updatedAt: str
    progress: Progress
    totals: NotRequired[PlanTotals]
    """
    Left out while no line is checked, or where none can be paid.
    """
    approvals: list[Signed]
    accounts: list[OfAccount]


class FullSubscription(TypedDict):
    """
    A subscription, and what has happened and will happen to it.
    """

    id: str
    providerId: str
    """
    What the network knows it by (idRec).
    """
    type: SubscriptionType
    status: SubscriptionStatus
    allowChargeAfterDueDate: bool
    allowAdjustToBusinessDay: bool
    frequencyType: Frequency
    startDate: str
    """
    The first day of its first cycle.
    """
    endDate: NotRequired[str]
    """
    The last day on which a charge may be due; left out: it is open-ended.
    """
    fixedAmount: NotRequired[BrlMoney]
    """
    What each charge is of.
    """
    maxAmountFloor: NotRequired[BrlMoney]
    """
    The least maximum that the payer may set for a charge.
    """
    autoSchedule: bool
    """
    Whether the service itself schedules each cycle's charge.
    """
    debtor: Debtor
    receiver: Receiver
    payer: NotRequired[SubscriptionPayer]
    """
    There once it was ACCEPTED.
    """
    description: NotRequired[str]
    webhookUrl: str
    externalId: str
    """
    The subscription's id in your system.
    """
    createdAt: str
    updatedAt: str
    statusHistory: list[StatusEntry]
    """
    Oldest first.
    """
    qrcode: NotRequired[Code]
    """
    Left out while the first charge's Pix key leads to somebody else.
    """
    initialCharge: NotRequired[InitialCharge]
    cancellations: list[Cancellation]
    """
    Oldest first.
    """
    payments: list[SubscriptionPayment]
    """
    The last 20 scheduled payments, oldest first.
    """
    nextActions: list[NextStep]
    """
    What comes next; empty once it has ended.
    """


class Lines(TypedDict):
    """
    A page of a plan's lines, in their order.
    """

    limit: int
    sort: Literal["asc"]
    """
    In the order of the plan, always.
    """
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page; left out on the last one.
    """
    hasNext: bool
    data: list[PlanLine]


class MedCase(TypedDict):
    """
    An object with its history, and with the others of its recovery.
    """

    objectType: MedObjectType
    referenceId: str
    """
    The object's id at the directory, or that of its receiver's side: see `directoryId`.
    """
    accountId: str
    """
    The account that was debited (PAYER) or credited (RECEIVER).
    """
    status: MedStatus
    previousStatus: NotRequired[MedStatus]
    """
    The status before; left out of the first notification.
    """
    endToEndId: NotRequired[str]
    """
    The contested transaction; of a recovery value the first one.
    """
    recoveryId: NotRequired[str]
    """
    The recovery value that it belongs to, of a recovery value itself.
    """
    reason: NotRequired[MedReason]
    """
    Of a notification or a refund request.
    """
    type: NotRequired[MedSituationType]
    """
    What happened, as who contests it says.
    """
    amount: NotRequired[str]
    """
    Contested, or asked back.
    """
    returnedAmount: NotRequired[str]
    """
    What has been given back.
    """
    analysisResult: NotRequired[MedAnalysisResult]
    """
    How it was decided.
    """
    role: NotRequired[MedRole]
    """
    PAYER: the account was debited; RECEIVER: it was credited.
    """
    awaitingOurAnalysis: NotRequired[bool]
    """
    Whether this institution has to decide; you have to do nothing.
    """
    defenseDueAt: NotRequired[str]
    """
    Until when you may give a defense to a notification about your money.
    """
    eventType: MedEventType
    """
    What was told of it last.
    """
    occurredAt: str
    """
    Since when it has its status at the directory.
    """
    deadline: str
    """
    By when it has to have ended.
    """
    blockedAmount: str
    """
    What of the account it keeps from being used.
    """
    rejectionReason: NotRequired[str]
    """
    Why a refund request was rejected.
    """
    requestingBank: NotRequired[str]
    """
    Of a refund request: the ISPB of who asks.
    """
    details: NotRequired[str]
    """
    Of a refund request: why, as who asks says.
    """
    directoryId: NotRequired[str]
    """
    The object's id at the directory, where its payer has an account here, too: RECEIVER alone.
    """
    lackingAmount: NotRequired[str]
    """
    Of a refund request: what later credits of the account are blocked for.
    """
    laterReturnedAmount: NotRequired[str]
    """
    What was given back of them, beside `returnedAmount`.
    """
    monitoredUntil: NotRequired[str]
    """
    Until when its account is watched for what a request lacks, or was.
    """
    defense: NotRequired[str]
    """
    What the account's holder has said to a notification.
    """
    defendedAt: NotRequired[str]
    """
    When that was said.
    """
    createdAt: str
    updatedAt: str
    history: list[MedChange]
    transactions: NotRequired[list[MedTransaction]]
    """
    Of a recovery that was traced: up to five transactions, two hops deep.
    """
    related: list[MedListed]
    defenseDocuments: NotRequired[list[MedDocument]]
    """
    The files that the account's holder gave with a defense.
    """


class MedList(TypedDict):
    """
    A page of objects, the newest first.
    """

    page: int
    """
    Which page this is; the first is 1.
    """
    limit: int
    """
    How many rows a page has at most.
    """
    total: int
    """
    How many objects there are on all pages.
    """
    hasNext: bool
    data: list[MedListed]


class NotifiedPayer(TypedDict):
    """
    The payer; of an unpaid order the customer, by the document you gave.

        Without a customer: NAO IDENTIFICADO, a CPF of zeros.
    """

    name: str
    document: PayerDocument
    bank: NotRequired[Bank]


class NotifiedSubscription(TypedDict):
    """
    The subscription, as it is now.
    """

    id: str
    externalId: str
    """
    The subscription's id in your system.
    """
    status: NotifiedSubscriptionStatus
    reason: NotRequired[CancellationReason]
    """
    Why it was canceled.
    """
    payer: NotRequired[AuthorizingPayer]
    """
    There where the payer's bank says who it is.
    """
    initialCharge: NotRequired[NotifiedCharge]


class OwnerBank(TypedDict):
    """
    The account of yours that the money is for.
    """

    name: str
    document: Document
    bank: Bank
    pix: NotRequired[PixKey]
    """
    The key that the money used.
    """


class PaidReceiver(TypedDict):
    """
    The receiver of a payout, and where the money goes.
    """

    name: str
    document: Document
    bank: Bank


class PayInNotification(TypedDict):
    """
    An order has been paid, or will not be.
    """

    id: str
    code: str
    """
    The order's `externalId`.
    """
    event: PayInNotificationEvent
    status: PayInNotificationStatus
    paidAt: str | None
    """
    When the network settled the payment; null: it did not.
    """
    updatedAt: str
    """
    When the status changed here.
    """
    endToEndId: str | None
    """
    The payment's id in Pix, the same at both banks.
    """
    controlNumber: str | None
    """
    Of a TED: the STR's, or from another account here ours; else null.
    """
    type: Literal["PAY-IN"]
    message: str
    """
    In English, for you.
    """
    customerMessage: str
    """
    In Portuguese, for your customer.
    """
    description: str
    amount: Money
    """
    The order's; of an open one what was paid, 0.00 where nothing was.
    """
    ownerBank: NotRequired[OwnerBank]
    """
    The account that the money is for. Of an order by a connection `bank` is your own bank, without branch and account; left out where your operator has not said which bank that is.
    """
    payer: NotifiedPayer
    subscription: NotRequired[OfSubscription]
    """
    There where the order is a charge of one.
    """
    staticQrcodeId: NotRequired[str]
    """
    The static QR code that was paid; `code` is then the endToEndId.
    """
    txid: NotRequired[str]
    """
    What money that came for no order carried as txid: that of your static code, or the label of one that you printed yourself. Of an order with a charge it is `conciliationId`.
    """


class PayOutNotification(TypedDict):
    """
    A payout has ended, or some of it has come back.
    """

    id: str
    code: str
    """
    The payout's `externalId`.
    """
    event: PayOutNotificationEvent
    status: PayOutNotificationStatus
    paidAt: str | None
    """
    When the network settled it; null: it did not.
    """
    updatedAt: str
    """
    When the status changed here.
    """
    endToEndId: NotRequired[str]
    """
    Of a Pix, of a batch its first transfer's.
    """
    controlNumber: NotRequired[str]
    """
    As the payout's answers have it: of a TED; left out while there is none.
    """
    batch: NotRequired[Batch]
    """
    Where the payout was split: how much was sent, and what became of each transfer.
    """
    type: Literal["PAY-OUT"]
    message: str
    """
    In English, for you.
    """
    description: str
    amount: BrlMoney
    """
    The payout's, whole.
    """
    returnedAmount: NotRequired[BrlMoney]
    """
    What has come back so far; of returns alone.
    """
    errorCode: NotRequired[str]
    """
    The network's word of what failed, or of a TED that came back; or ours.
    """
    nextTryAt: NotRequired[str]
    """
    When it is tried again; of `ORDER-PAYOUT.RETRY_SCHEDULED` alone.
    """
    ownerBank: OwnerBank
    receiver: PaidReceiver


class Payer(TypedDict):
    """
    The payer, as the network says.
    """

    name: str
    document: NotRequired[Document]
    bank: NotRequired[Bank]


class ReceiptParty(TypedDict):
    """
    The payer or the receiver.
    """

    name: str
    document: ReceiptDocument
    bank: Bank
    """
    Branch and account, or the Pix key that was paid to; of a key that is a CPF six digits.
    """


class RefundNotification(TypedDict):
    """
    Money was given back to an order's payer, or could not be.
    """

    id: str
    code: str
    """
    The order's `externalId`.
    """
    event: RefundNotificationEvent
    status: RefundNotificationStatus
    """
    The order's.
    """
    paidAt: str | None
    """
    When the network settled the payment; null: it did not.
    """
    updatedAt: str
    """
    When the status changed here.
    """
    endToEndId: str | None
    """
    The payment's id in Pix, the same at both banks.
    """
    controlNumber: str | None
    """
    Of a TED: the STR's, or from another account here ours; else null.
    """
    type: Literal["REFUND"]
    message: str
    """
    In English, for you.
    """
    customerMessage: str
    """
    In Portuguese, for your customer.
    """
    description: str
    amount: Money
    """
    The order's; of an open one what was paid, 0.00 where nothing was.
    """
    ownerBank: NotRequired[OwnerBank]
    """
    The account that the money is for. Of an order by a connection `bank` is your own bank, without branch and account; left out where your operator has not said which bank that is.
    """
    payer: NotifiedPayer
    subscription: NotRequired[OfSubscription]
    """
    There where the order is a charge of one.
    """
    staticQrcodeId: NotRequired[str]
    """
    The static QR code that was paid; `code` is then the endToEndId.
    """
    txid: NotRequired[str]
    """
    What money that came for no order carried as txid: that of your static code, or the label of one that you printed yourself. Of an order with a charge it is `conciliationId`.
    """
    refundId: str
    """
    The `id` that the refund's create answered; of a chargeback an id of ours, of a dispute the `referenceId` of its refund request.
    """
    refundExternalId: NotRequired[str]
    """
    The refund's `externalId`; left out of a chargeback and of a dispute.
    """
    refundAmount: Money
    """
    Of this refund: what the order gives back by it.
    """
    refundedAmount: Money
    """
    What the order has given back so far, this refund counted.
    """


class ResendEvents(TypedDict):
    """
    The deliveries to send again, and how fast.
    """

    filter: ResendFilter
    dryRun: NotRequired[bool | None]
    """
    `true`: counts, and sends nothing. Left out: `false`.
    """
    perMinute: NotRequired[int | None]
    """
    How many become due in a minute at most. Left out: 600.
    """


class SettledNotification(TypedDict):
    """
    Money of an account was paid out outside of lastro. It is no longer in the balance.
    """

    event: Literal["ACCOUNT.SETTLED"]
    occurredAt: str
    accountId: str
    settlementId: str
    amount: Money
    reference: str
    """
    Of the payment, as whoever operates this service has entered it.
    """
    ownerBank: OwnerBank


class Subscription(TypedDict):
    """
    A subscription.
    """

    id: str
    providerId: str
    """
    What the network knows it by (idRec).
    """
    type: SubscriptionType
    status: SubscriptionStatus
    allowChargeAfterDueDate: bool
    allowAdjustToBusinessDay: bool
    frequencyType: Frequency
    startDate: str
    """
    The first day of its first cycle.
    """
    endDate: NotRequired[str]
    """
    The last day on which a charge may be due; left out: it is open-ended.
    """
    fixedAmount: NotRequired[BrlMoney]
    """
    What each charge is of.
    """
    maxAmountFloor: NotRequired[BrlMoney]
    """
    The least maximum that the payer may set for a charge.
    """
    autoSchedule: bool
    """
    Whether the service itself schedules each cycle's charge.
    """
    debtor: Debtor
    receiver: Receiver
    payer: NotRequired[SubscriptionPayer]
    """
    There once it was ACCEPTED.
    """
    description: NotRequired[str]
    webhookUrl: str
    externalId: str
    """
    The subscription's id in your system.
    """
    createdAt: str
    updatedAt: str


class SubscriptionNotification(TypedDict):
    """
    A subscription has taken another status.
    """

    event: SubscriptionNotificationEvent
    occurredAt: str
    data: NotifiedSubscription


class Subscriptions(TypedDict):
    """
    A page of subscriptions.
    """

    limit: int
    """
    How many rows a page has at most.
    """
    sort: Sort
    """
    By createdAt.
    """
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page; left out on the last one.
    """
    hasNext: bool
    data: list[Subscription]


Entries1: TypeAlias = StateEntry | TransferEntry | MessageEntry | EventEntry | AttemptEntry


class Timeline(TypedDict):
    """
    Everything that happened to an object, oldest first.
    """

    id: str
    object: ObjectKind
    entries: list[Entries1]
    isWhole: bool
    """
    False where there is more: at most 1000 entries of a kind are told.
    """


class CreateOrder(TypedDict):
    """
    An order, and who is asked to pay it.
    """

    order: OrderForm
    customer: NotRequired[CustomerForm | None]
    """
    Required, except on the route of one partner that takes it from the payer.
    """


class FullPayout(TypedDict):
    """
    A payout as it is read.
    """

    id: str
    externalId: str
    status: PayoutStatus
    amount: str
    """
    Decimal text with a dot.
    """
    currency: PayoutCurrency
    """
    ISO 4217 code.
    """
    description: str
    endToEndId: str
    """
    The payment's id in Pix, fixed before anything is sent; of a batch its first transfer's; of a TED, which has none, the empty text.
    """
    controlNumber: NotRequired[str]
    """
    Of a TED, once the STR has given it; of one to an account here ours, at once; of a batch its first transfer's.
    """
    batch: NotRequired[Batch]
    """
    Where the payout was split.
    """
    errorMessage: NotRequired[str]
    """
    The network's raw code, or a word of ours, a colon and an English sentence.
    """
    accountId: str
    """
    The account that pays.
    """
    paymentMethod: BankMethod
    receiver: PaidReceiver
    """
    As the directory or the bank account names it, and as events name it.
    """
    fee: NotRequired[str]
    """
    What it costs its payer; left out where nothing.
    """
    errorCode: NotRequired[str]
    """
    The network's word of what failed, or of a TED that came back; or ours.
    """
    returnedAmount: NotRequired[str]
    """
    What the receiver has given back.
    """
    scheduledDate: NotRequired[str]
    """
    The day it was asked to be sent on.
    """
    waitsFor: NotRequired[str]
    """
    INSUFFICIENT_FUNDS or LIMIT_EXCEEDED: what a scheduled Pix lacked at its last try; there while it waits for the next.
    """
    nextTryAt: NotRequired[str]
    """
    When such a Pix is tried again.
    """
    createdAt: str
    updatedAt: str
    paidAt: NotRequired[str]


class ListedOrder(TypedDict):
    """
    An order as a list shows it: what the read by id shows, without the picture of its code.
    """

    id: str
    externalId: str
    """
    The order's id in your system.
    """
    code: str
    """
    Another name of `externalId`.
    """
    status: OrderStatus
    paymentMethod: str
    amount: NotRequired[Money]
    """
    Left out where the payer types it.
    """
    description: str
    additionalInfo: str
    """
    Another name of `description`.
    """
    createdAt: str
    pix: NotRequired[ListedCharge]
    """
    There where the method is PIX and you made the order.
    """
    boleto: NotRequired[Slip]
    """
    There where the method is BOLETO.
    """
    threeDs: NotRequired[ThreeDs]
    """
    There where the method is CREDIT_CARD.
    """
    card: NotRequired[Card]
    """
    There where the method is CREDIT_CARD.
    """
    spei: NotRequired[Spei]
    """
    There where the method is SPEI.
    """
    deposit: NotRequired[Deposit]
    """
    There where the method is DEPOSIT.
    """
    cash: NotRequired[CashVoucher]
    """
    There where the method is OXXO, OXXOPAY or PAYNET.
    """
    crypto: NotRequired[CryptoCharge]
    """
    There where the method is `<BRAND>_PAY`.
    """
    fees: Fees
    feeFix: Money
    """
    Another name of `fees.fixed`.
    """
    feeVar: NotRequired[Money]
    """
    Another name of `fees.variable`.
    """
    feeAdd: Money
    """
    Another name of `fees.additional`.
    """
    finalAmount: NotRequired[Money]
    """
    What the customer pays, fees included where the customer bears them. Open: left out.
    """
    errorMessage: NotRequired[str]
    """
    Why the status is ERROR.
    """
    checkoutUrl: NotRequired[str]
    """
    The page where the customer sees how to pay and what became of it. It cannot be guessed; no token. There where you made the order; left out of orders older than the page.
    """
    orderToken: NotRequired[str]
    """
    What `returnUrl` is followed with, as `orderToken`.
    """
    accountId: str
    """
    The account that it credits.
    """
    returnUrl: NotRequired[str]
    financialPartner: NotRequired[str]
    updatedAt: str
    paidAt: NotRequired[str]
    """
    When the network settled the payment.
    """
    paidAmount: NotRequired[Money]
    refundedAmount: NotRequired[Money]
    """
    What was given back so far; left out where nothing was.
    """
    endToEndId: NotRequired[str]
    """
    The payment's id in Pix, the same at both banks.
    """
    controlNumber: NotRequired[str]
    """
    Of a TED, as its notification has it; `externalId` is the same.
    """
    payer: NotRequired[Payer]
    subscription: NotRequired[OfSubscription]
    """
    There where the order is a charge of one; `pix` is then left out.
    """
    staticQrcodeId: NotRequired[str]
    """
    The static QR code that was paid; `externalId` is then the endToEndId.
    """
    txid: NotRequired[str]
    """
    What money that came for no order carried as txid: that of your static code, or the label of one that you printed yourself. Of an order with a charge it is `conciliationId`.
    """
    leadsHere: NotRequired[bool]
    """
    While an order waits for money by Pix: whether its key still leads to the account. Once it does not (claimed away, ported or deleted), its code is left out everywhere and its location answers 410: cancel the order and make another one, with another key. Where the key comes back, so does the code.
    """


class Order(TypedDict):
    """
    An order, and what has happened since it was made.
    """

    id: str
    externalId: str
    """
    The order's id in your system.
    """
    code: str
    """
    Another name of `externalId`.
    """
    status: OrderStatus
    paymentMethod: str
    amount: NotRequired[Money]
    """
    Left out where the payer types it.
    """
    description: str
    additionalInfo: str
    """
    Another name of `description`.
    """
    createdAt: str
    pix: NotRequired[PixCharge]
    """
    There where the method is PIX.
    """
    boleto: NotRequired[Slip]
    """
    There where the method is BOLETO.
    """
    threeDs: NotRequired[ThreeDs]
    """
    There where the method is CREDIT_CARD.
    """
    card: NotRequired[Card]
    """
    There where the method is CREDIT_CARD.
    """
    spei: NotRequired[Spei]
    """
    There where the method is SPEI.
    """
    deposit: NotRequired[Deposit]
    """
    There where the method is DEPOSIT.
    """
    cash: NotRequired[CashVoucher]
    """
    There where the method is OXXO, OXXOPAY or PAYNET.
    """
    crypto: NotRequired[CryptoCharge]
    """
    There where the method is `<BRAND>_PAY`.
    """
    fees: Fees
    feeFix: Money
    """
    Another name of `fees.fixed`.
    """
    feeVar: NotRequired[Money]
    """
    Another name of `fees.variable`.
    """
    feeAdd: Money
    """
    Another name of `fees.additional`.
    """
    finalAmount: NotRequired[Money]
    """
    What the customer pays, fees included where the customer bears them. Open: left out.
    """
    errorMessage: NotRequired[str]
    """
    Why the status is ERROR.
    """
    checkoutUrl: NotRequired[str]
    """
    The page where the customer sees how to pay and what became of it. It cannot be guessed; no token. There where you made the order; left out of orders older than the page.
    """
    orderToken: NotRequired[str]
    """
    What `returnUrl` is followed with, as `orderToken`.
    """
    accountId: str
    """
    The account that it credits.
    """
    returnUrl: NotRequired[str]
    financialPartner: NotRequired[str]
    updatedAt: str
    paidAt: NotRequired[str]
    """
    When the network settled the payment.
    """
    paidAmount: NotRequired[Money]
    refundedAmount: NotRequired[Money]
    """
    What was given back so far; left out where nothing was.
    """
    endToEndId: NotRequired[str]
    """
    The payment's id in Pix, the same at both banks.
    """
    controlNumber: NotRequired[str]
    """
    Of a TED, as its notification has it; `externalId` is the same.
    """
    payer: NotRequired[Payer]
    subscription: NotRequired[OfSubscription]
    """
    There where the order is a charge of one; `pix` is then left out.
    """
    staticQrcodeId: NotRequired[str]
    """
    The static QR code that was paid; `externalId` is then the endToEndId.
    """
    txid: NotRequired[str]
    """
    What money that came for no order carried as txid: that of your static code, or the label of one that you printed yourself. Of an order with a charge it is `conciliationId`.
    """
    leadsHere: NotRequired[bool]
    """
    While an order waits for money by Pix: whether its key still leads to the account. Once it does not (claimed away, ported or deleted), its code is left out everywhere and its location answers 410: cancel the order and make another one, with another key. Where the key comes back, so does the code.
    """


class Orders(TypedDict):
    """
    A page of orders.
    """

    limit: int
    """
    How many rows a page has at most.
    """
    sort: Sort
    """
    By createdAt.
    """
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page; left out on the last one.
    """
    hasNext: bool
    data: list[ListedOrder]


class PayIn(TypedDict):
    """
    An order, shown as a pay-in. Its fees and its story are at `/order/v2/transparent/{id}`.
    """

    id: str
    """
    Of the order, which has the same id at `/order/v2/transparent`.
    """
    externalId: str
    """
    The order's id in your system.
    """
    status: OrderStatus
    accountId: str
    """
    The account that it credits.
    """
    paymentMethod: str
    amount: NotRequired[Money]
    """
    Left out where the payer types it.
    """
    description: str
    qrcodeData: NotRequired[str]
    """
    This, and what goes with it, where the order has a Pix code of its own.
    """
    qrcodeImageBase64: NotRequired[str]
    """
    The picture, a PNG in base64 without a `data:` prefix.
    """
    expireDateTime: NotRequired[str]
    """
    The last instant at which a bank may pay it.
    """
    conciliationId: NotRequired[str]
    """
    The txid that the network knows the charge by.
    """
    createdAt: str
    updatedAt: str
    paidAt: NotRequired[str]
    """
    When the network settled the payment.
    """
    paidAmount: NotRequired[Money]
    endToEndId: NotRequired[str]
    """
    The payment's id in Pix, the same at both banks.
    """
    payer: NotRequired[Payer]
    """
    Who paid, as the network says.
    """
    staticQrcodeId: NotRequired[str]
    """
    The static QR code by which its money came.
    """
    txid: NotRequired[str]
    """
    What money that came for no order carried as txid: that of your static code, or the label of one that you printed yourself. Of an order with a charge it is `conciliationId`.
    """
    leadsHere: NotRequired[bool]
    """
    While an order waits for money by Pix: whether its key still leads to the account. Once it does not (claimed away, ported or deleted), its code is left out everywhere and its location answers 410: cancel the order and make another one, with another key. Where the key comes back, so does the code.
    """
    errorMessage: NotRequired[str]
    """
    Why the status is ERROR.
    """


class PayoutReceipt(TypedDict):
    """
    Proof of a payout whose money has left.
    """

    id: str
    externalId: str
    status: PayoutReceiptStatus
    paymentMethod: BankMethod
    amount: str
    """
    What was to be paid.
    """
    paidAmount: str
    """
    What has left: less than `amount` where transfers of a batch failed.
    """
    fee: NotRequired[str]
    """
    What the payout cost its payer; left out where nothing.
    """
    returnedAmount: NotRequired[str]
    """
    What has come back of it so far.
    """
    currency: PayoutCurrency
    """
    ISO 4217 code.
    """
    description: str
    paidAt: str
    """
    When the network settled it, of a batch the last of it.
    """
    endToEndId: NotRequired[str]
    """
    Of a Pix; in a batch each transfer has its own.
    """
    controlNumber: NotRequired[str]
    """
    Of a TED, the STR's; to an account here ours.
    """
    txid: NotRequired[str]
    """
    Of the QR that was paid.
    """
    payer: ReceiptParty
    receiver: ReceiptParty
    transfers: NotRequired[list[ReceiptTransfer]]
    """
    Of a batch, in order.
    """
    returns: NotRequired[list[ReceiptReturn]]
    """
    What came back, oldest first.
    """
    issuer: Issuer
    issuedAt: str
    """
    When the last thing happened that the receipt tells; the same each time it is read.
    """
    authenticationCode: str
    """
    Made of what the receipt tells: the same for the same facts, for others another.
    """


class Payouts(TypedDict):
    """
    A page of payouts; batches without their transfers.
    """

    limit: int
    """
    How many rows a page has at most.
    """
    sort: Sort
    """
    By createdAt.
    """
    nextCursor: NotRequired[str]
    """
    The `cursor` of the next page; left out on the last one.
    """
    hasNext: bool
    data: list[FullPayout]
