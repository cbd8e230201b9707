"""What the hosted page says, in Portuguese, Spanish and English; how it writes amounts and moments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lastro.standards.calendar import BRASILIA
from lastro.standards.spei_ids import MEXICO_CITY

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from lastro.core.money import Money

# The first is spoken to who wants none of them.
LANGUAGES = ("pt", "es", "en")
TAGS = {"pt": "pt-BR", "es": "es", "en": "en"}
NAMES = {"pt": "Português", "es": "Español", "en": "English"}

TEXTS: Mapping[str, tuple[str, str, str]] = {
    # Each standing, and what follows from it.
    "INITIAL": ("Aguardando pagamento", "Esperando el pago", "Waiting for payment"),
    "INITIAL-about": (
        "Esta página avisa assim que o pagamento chegar.",
        "Esta página avisa en cuanto llegue el pago.",
        "This page tells you as soon as the payment arrives.",
    ),
    "LATE": ("Prazo encerrado", "Plazo vencido", "Time is up"),
    "LATE-about": (
        "Não pague mais por aqui. Se você já pagou, aguarde um momento: a confirmação pode estar a caminho.",
        "Ya no pague por aquí. Si ya pagó, espere un momento: la confirmación puede estar en camino.",
        "Do not pay here any more. If you have paid, wait a moment: the confirmation may be on its way.",
    ),
    "KEY_LEFT": ("Código indisponível", "Código no disponible", "Code not available"),
    "KEY_LEFT-about": (
        "A chave Pix desta cobrança não é mais de quem recebe. Não pague por um código já copiado: peça uma nova cobrança.",
        "La clave Pix de este cobro ya no es de quien recibe. No pague con un código ya copiado: pida un nuevo cobro.",
        "The Pix key of this charge is no longer the receiver's. Do not pay by a code copied earlier: ask for a new charge.",
    ),
    "PENDING": ("Pagamento em andamento", "Pago en curso", "Payment under way"),
    "PENDING-about": (
        "O pagamento foi anunciado e ainda não está confirmado.",
        "El pago fue anunciado y todavía no está confirmado.",
        "The payment was announced and is not confirmed yet.",
    ),
    "AUTHENTICATING": ("Falta a sua confirmação", "Falta su confirmación", "Your confirmation is needed"),
    "AUTHENTICATING-about": (
        "O seu banco pede que você confirme este pagamento.",
        "Su banco pide que usted confirme este pago.",
        "Your bank asks you to confirm this payment.",
    ),
    "PAID": ("Pago", "Pagado", "Paid"),
    "PAID-about": ("O pagamento foi confirmado.", "El pago fue confirmado.", "The payment is confirmed."),
    "EXPIRED": ("Expirado", "Vencido", "Expired"),
    "EXPIRED-about": (
        "O prazo terminou sem pagamento. Não pague mais por aqui: peça uma nova cobrança.",
        "El plazo terminó sin pago. Ya no pague por aquí: pida un nuevo cobro.",
        "The time passed without a payment. Do not pay here any more: ask for a new charge.",
    ),
    "CANCELED": ("Cancelado", "Cancelado", "Canceled"),
    "CANCELED-about": (
        "Esta cobrança foi cancelada. Não pague por aqui.",
        "Este cobro fue cancelado. No pague por aquí.",
        "This charge was canceled. Do not pay here.",
    ),
    "ERROR": ("Não concluído", "No se completó", "Not completed"),
    "ERROR-about": (
        "O pagamento não pôde ser concluído, e nada foi recebido.",
        "El pago no se pudo completar, y no se recibió nada.",
        "The payment could not be completed, and nothing was received.",
    ),
    "REFUNDED": ("Devolvido", "Devuelto", "Refunded"),
    "REFUNDED-about": (
        "O valor foi devolvido a quem pagou.",
        "El importe fue devuelto a quien pagó.",
        "The amount was given back to who paid.",
    ),
    "PARTIAL_REFUNDED": ("Devolvido em parte", "Devuelto en parte", "Refunded in part"),
    "PARTIAL_REFUNDED-about": (
        "Uma parte do valor foi devolvida a quem pagou.",
        "Una parte del importe fue devuelta a quien pagó.",
        "A part of the amount was given back to who paid.",
    ),
    # What is asked.
    "to": ("Para", "Para", "To"),
    "open-amount": ("Você escolhe o valor ao pagar", "Usted elige el importe al pagar", "You choose the amount when paying"),
    "description": ("Descrição", "Descripción", "Description"),
    "customer": ("Em nome de", "A nombre de", "In the name of"),
    "fee": ("Inclui tarifa de", "Incluye una tarifa de", "Includes a fee of"),
    "until": ("Pague até", "Pague hasta", "Pay until"),
    "paid-at": ("Pago em", "Pagado el", "Paid on"),
    # How it is paid, by any method.
    "how": ("Como pagar", "Cómo pagar", "How to pay"),
    "copy": ("Copiar", "Copiar", "Copy"),
    "copied": ("Copiado", "Copiado", "Copied"),
    # Pix.
    "pix-open": (
        "Abra o aplicativo do seu banco e escolha Pix.",
        "Abra la aplicación de su banco y elija Pix.",
        "Open your bank's app and choose Pix.",
    ),
    "pix-read": (
        "Leia o QR code com a câmera, ou cole o código em Pix copia e cola.",
        "Lea el código QR con la cámara, o pegue el código en Pix copia y pega.",
        "Read the QR code with the camera, or paste the code as Pix copy and paste.",
    ),
    "pix-check": (
        "Confira quem recebe e o valor, e confirme.",
        "Verifique quién recibe y el importe, y confirme.",
        "Check who receives it and the amount, and confirm.",
    ),
    "pix-picture": ("QR code do Pix", "Código QR de Pix", "Pix QR code"),
    "slip-open": (
        "Abra o aplicativo do seu banco e escolha pagar boleto.",
        "Abra la aplicación de su banco y elija pagar un boleto.",
        "Open your bank's app and choose to pay a boleto.",
    ),
    "slip-line-read": (
        "Digite ou cole a linha digitável, ou leia o código de barras do boleto impresso.",
        "Escriba o pegue la línea digitable, o lea el código de barras del boleto impreso.",
        "Type or paste the line of digits, or scan the bar code of the printed slip.",
    ),
    "slip-settles": (
        "O boleto é confirmado no dia útil seguinte ao pagamento; pelo Pix, na hora.",
        "El boleto se confirma el día hábil siguiente al pago; por Pix, al instante.",
        "A slip is confirmed on the business day after it is paid; by Pix, at once.",
    ),
    "slip-line": ("Linha digitável", "Línea digitable", "Line of digits"),
    "slip-print": ("Abrir o boleto em PDF", "Abrir el boleto en PDF", "Open the slip as a PDF"),
    "card": ("Cartão", "Tarjeta", "Card"),
    "card-installments": ("Parcelas", "Meses", "Installments"),
    "card-confirm": ("Confirmar no meu banco", "Confirmar en mi banco", "Confirm at my bank"),
    "crypto-open": (
        "Abra o aplicativo pelo botão, ou leia o QR code com ele.",
        "Abra la aplicación con el botón, o lea el código QR con ella.",
        "Open the app with the button, or read the QR code with it.",
    ),
    "crypto-check": (
        "Confira quem recebe, a cotação e quanto será enviado, e confirme.",
        "Verifique quién recibe, la cotización y cuánto se enviará, y confirme.",
        "Check who receives it, the rate and how much is sent, and confirm.",
    ),
    "crypto-confirms": (
        "A cotação vale até o horário acima. O pagamento é confirmado em alguns minutos.",
        "La cotización vale hasta la hora indicada arriba. El pago se confirma en unos minutos.",
        "The rate holds until the time above. The payment is confirmed within minutes.",
    ),
    "crypto-gives": ("Você envia", "Usted envía", "You send"),
    "crypto-rate": ("Cotação", "Cotización", "Rate"),
    "crypto-code": ("Código para o aplicativo", "Código para la aplicación", "Code for the app"),
    "crypto-picture": ("QR code do aplicativo", "Código QR de la aplicación", "QR code for the app"),
    "crypto-app": ("Abrir o aplicativo", "Abrir la aplicación", "Open the app"),
    "cash-oxxo": (
        "Vá a qualquer loja OXXO e diga que quer pagar um serviço.",
        "Vaya a cualquier tienda OXXO y diga que quiere pagar un servicio.",
        "Go to any OXXO shop and say that you want to pay a service.",
    ),
    "cash-oxxopay": (
        "Vá a qualquer loja OXXO e diga que quer fazer um pagamento OXXO Pay.",
        "Vaya a cualquier tienda OXXO y diga que quiere hacer un pago OXXO Pay.",
        "Go to any OXXO shop and say that you want to make an OXXO Pay payment.",
    ),
    "cash-paynet": (
        "Vá a uma loja ou farmácia da rede Paynet.",
        "Vaya a una tienda o farmacia de la red Paynet.",
        "Go to a shop or pharmacy of the Paynet network.",
    ),
    "cash-show": (
        "Mostre o código de barras ou dite a referência, e pague em dinheiro o valor exato.",
        "Muestre el código de barras o dicte la referencia, y pague en efectivo el importe exacto.",
        "Show the bar code or read out the reference, and pay the exact amount in cash.",
    ),
    "cash-settles": (
        "Guarde o comprovante. O pagamento é confirmado no dia útil seguinte.",
        "Guarde el comprobante. El pago se confirma el día hábil siguiente.",
        "Keep the receipt. The payment is confirmed on the next business day.",
    ),
    "cash-at-once": (
        "Guarde o comprovante. O pagamento é confirmado na hora.",
        "Guarde el comprobante. El pago se confirma al instante.",
        "Keep the receipt. The payment is confirmed at once.",
    ),
    "cash-reference": ("Referência", "Referencia", "Reference"),
    "cash-bars": ("Código de barras da referência", "Código de barras de la referencia", "Bar code of the reference"),
    "cash-print": ("Abrir a ficha em PDF", "Abrir la ficha en PDF", "Open the voucher as a PDF"),
    "pix-code": ("Pix copia e cola", "Pix copia y pega", "Pix copy and paste"),
    "spei-open": (
        "Abra o aplicativo do seu banco no México e escolha transferir por SPEI.",
        "Abra la aplicación de su banco y elija transferir por SPEI.",
        "Open the app of your bank in Mexico and choose to transfer by SPEI.",
    ),
    "spei-send": (
        "Transfira o valor para a CLABE abaixo. Ela é só desta cobrança.",
        "Transfiera el importe a la CLABE de abajo. Es solo de este cobro.",
        "Transfer the amount to the CLABE below. It belongs to this charge alone.",
    ),
    "spei-clabe": ("CLABE", "CLABE", "CLABE"),
    "deposit-open": (
        "Abra o aplicativo do seu banco e escolha transferir.",
        "Abra la aplicación de su banco y elija transferir.",
        "Open your bank's app and choose to transfer.",
    ),
    "deposit-send": (
        "Transfira o valor para a conta abaixo. Ela é só desta cobrança.",
        "Transfiera el importe a la cuenta de abajo. Es solo de este cobro.",
        "Transfer the amount to the account below. It belongs to this charge alone.",
    ),
    "deposit-bank": ("Banco", "Banco", "Bank"),
    "deposit-branch": ("Agência", "Sucursal", "Branch"),
    "deposit-account": ("Conta com dígito", "Cuenta con dígito", "Account with check digit"),
    "transfer-holder": ("Favorecido", "Beneficiario", "Payee"),
    "transfer-reference": ("Referência", "Referencia", "Reference"),
    "transfer-parts": (
        "Se faltar uma parte, transfira o resto para o mesmo lugar; o que passar do valor é devolvido.",
        "Si falta una parte, transfiera el resto al mismo lugar; lo que exceda el importe se devuelve.",
        "If a part is missing, transfer the rest to the same place; what is more than the amount is given back.",
    ),
    # Around it.
    "return": ("Voltar para", "Volver a", "Go back to"),
    "language": ("Idioma", "Idioma", "Language"),
    "processed-by": ("Pagamento processado por", "Pago procesado por", "Payment processed by"),
    "sandbox": (
        "Ambiente de testes: nada aqui é dinheiro de verdade.",
        "Entorno de pruebas: nada aquí es dinero de verdad.",
        "A test environment: nothing here is real money.",
    ),
    "missing": ("Cobrança não encontrada", "Cobro no encontrado", "No such charge"),
    "missing-about": (
        "Confira se o endereço está completo, ou peça um novo a quem o enviou.",
        "Verifique que la dirección esté completa, o pida una nueva a quien se la envió.",
        "Check that the address is complete, or ask who sent it for a new one.",
    ),
}

_SIGNS = {"BRL": "R$", "USD": "US$", "MXN": "MX$", "EUR": "€", "JPY": "¥"}
_SPACE = "\N{NO-BREAK SPACE}"  # an amount is never broken over two lines
# Where Spanish is written with a point before the decimals, as English is; elsewhere it has a comma, as Portuguese.
_POINT_IN_SPANISH = ("MXN", "USD", "PEN")
_CLOCKS = {
    "Brasilia": ("horário de Brasília", "hora de Brasilia"),
    "Mexico City": ("horário da Cidade do México", "hora de la Ciudad de México"),
}
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


class Speech:
    """The texts in one of our languages. language: as in LANGUAGES."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._column = LANGUAGES.index(language)

    @property
    def tag(self) -> str:
        """The language as HTML and HTTP name it."""
        return TAGS[self.language]

    def __call__(self, name: str) -> str:
        """The text of that name. KeyError: there is none, which a test would have found."""
        return TEXTS[name][self._column]

    def money(self, amount: Money) -> str:
        """An amount as its readers write it: `R$ 1.234,56`, in English `R$1,234.56`. What has no sign has its code."""
        whole, _, decimals = str(amount).partition(".")
        grouped, point = f"{int(whole):,}", "."
        if self.language == "pt" or (self.language == "es" and amount.currency not in _POINT_IN_SPANISH):
            grouped, point = grouped.replace(",", "."), ","
        sign = _SIGNS.get(amount.currency)
        gap = "" if self.language == "en" and sign is not None else _SPACE
        return f"{sign or amount.currency}{gap}{grouped}{point if decimals else ''}{decimals}"

    def moment(self, at: datetime, currency: str) -> str:
        """An instant by the clock of where the currency is paid, and whose clock that is. at: aware.

        Of pesos it is Mexico City's, as on the voucher that its customer prints.
        """
        place = "Mexico City" if currency == "MXN" else "Brasilia"
        local = at.astimezone(MEXICO_CITY if currency == "MXN" else BRASILIA)
        in_portuguese, in_spanish = _CLOCKS[place]
        if self.language == "en":
            return f"{local.day} {_MONTHS[local.month - 1]} {local:%Y, %H:%M} ({place} time)"
        if self.language == "es":
            return f"{local:%d/%m/%Y, %H:%M} ({in_spanish})"
        return f"{local:%d/%m/%Y às %H:%M} ({in_portuguese})"
