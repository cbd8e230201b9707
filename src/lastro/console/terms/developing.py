"""The words of the developers' pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

DEVELOPING: Mapping[str, tuple[str, str]] = {
    "dev.addresses": ("Endereços", "Addresses"),
    "dev.api": ("API", "API"),
    "dev.reference": ("Referência da API", "API reference"),
    "dev.guide": ("Guias", "Guides"),
    "dev.machines": ("para máquinas", "for machines"),
    "dev.keys": ("Chaves públicas dos tokens (JWKS)", "Public keys of tokens (JWKS)"),
    "dev.company": ("Id da empresa", "The company's id"),
    "dev.clients": ("Clientes da API", "Clients of the API"),
    "dev.no-clients": ("Nenhum cliente ainda.", "No client yet."),
    "dev.new-client": ("Novo cliente", "New client"),
    "dev.client": ("Cliente", "Client"),
    "dev.may": ("Permissões", "Permissions"),
    "dev.may-all": ("tudo", "everything"),
    "dev.networks": ("Redes de onde pode chamar", "Networks it may call from"),
    "dev.networks-why": (
        "Separadas por espaço, como 203.0.113.0/24. Vazio: de qualquer lugar.",
        "Set apart by spaces, such as 203.0.113.0/24. Empty: from anywhere.",
    ),
    "dev.anywhere": ("qualquer lugar", "anywhere"),
    "dev.limit": ("Pedidos por minuto", "Requests a minute"),
    "dev.limit-usual": ("o padrão", "the default"),
    "dev.limit-why": ("Vazio: o padrão.", "Empty: the default."),
    "dev.reach": ("O que pode e de onde", "What it may do, and from where"),
    "dev.reach-why": ("Vale a partir do próximo pedido do cliente.", "Counts from the client's next request on."),
    "dev.certificates": ("Certificados exigidos", "Certificates asked for"),
    "dev.certificates-add": ("Exigir também este certificado", "Ask for this certificate too"),
    "dev.certificates-why": (
        "Cole o certificado em PEM, ou sua impressão x5t#S256. Quem tem algum mostra um deles, além do segredo (mTLS).",
        "Paste the certificate as PEM, or its thumbprint x5t#S256. Whoever has any must show one, beside the secret (mTLS).",
    ),
    "dev.certificates-remove": ("Deixar de exigir", "Ask no more for"),
    "dev.certificates-free": (
        "Sair o último: depois disso o segredo basta",
        "The last one may go: its secret alone admits from then on",
    ),
    "dev.since": ("Criado em", "Made at"),
    "dev.tokens-after": ("Tokens valem desde", "Tokens count since"),
    "dev.older-until": ("O segredo anterior vale até", "The older secret admits until"),
    "dev.active": ("ativo", "active"),
    "dev.revoked": ("revogado", "revoked"),
    "dev.outside": ("do emissor externo", "of the outside issuer"),
    "dev.secret-once": (
        "Copie o segredo agora: ele não está guardado em lugar nenhum e não volta a ser mostrado.",
        "Copy the secret now: it is kept nowhere and is not shown again.",
    ),
    "dev.new-secret": ("Novo segredo", "New secret"),
    "dev.new-secret-why": (
        "O novo vale na hora. O anterior continua valendo pelo tempo escolhido, para que você troque sem parar.",
        "The new one admits at once. The older one still does for as long as you choose, so that nothing has to stop.",
    ),
    "dev.overlap": ("O anterior ainda vale por", "The older one admits for"),
    "dev.overlap-none": ("nada: deixa de valer agora", "not at all: it ends now"),
    "dev.overlap-hours": ("{count} h", "{count} h"),
    "dev.revoke": ("Revogar o cliente", "Turn the client away"),
    "dev.revoke-why": (
        "Segredos e tokens deixam de valer no próximo pedido, para sempre.",
        "Its secrets and tokens count no more from the next request on, for good.",
    ),
    "dev.revoke-tokens": ("Invalidar os tokens", "End its tokens"),
    "dev.revoke-tokens-why": (
        "Os tokens emitidos até agora deixam de valer; com o segredo ele pede outro.",
        "Tokens issued until now count no more; by its secret it asks for another.",
    ),
    "dev.webhooks": ("Webhooks", "Webhooks"),
    "dev.webhooks-about": (
        "Para onde vai cada tipo de evento que não tem URL própria no objeto, e quem não está respondendo.",
        "Where each type of event goes whose object names no URL of its own, and who does not answer.",
    ),
    "dev.endpoints": ("Endereços que não respondem", "Endpoints that do not answer"),
    "dev.endpoints-well": ("Todos respondem.", "All of them answer."),
    "dev.done-by": ("Como cada endereço responde", "How each endpoint does"),
    "dev.done-by-about": (
        "Entregas das últimas 24 horas: {count}. No máximo as {most} mais novas, dos {shown} endereços que mais falham.",
        "Deliveries of the last 24 hours: {count}. The {most} newest at most, of the {shown} endpoints that fail most.",
    ),
    "dev.done-by-nothing": ("Nenhuma entrega nas últimas 24 horas.", "No delivery in the last 24 hours."),
    "dev.waiting": ("Esperam", "Waiting"),
    "dev.at-once": ("Na 1ª tentativa", "At the 1st attempt"),
    "dev.half": ("Metade em", "Half within"),
    "dev.most": ("95% em", "95% within"),
    "dev.last-failure": ("Última falha", "Last failure"),
    "dev.event": ("Evento", "Event"),
    "dev.url": ("URL", "URL"),
    "dev.nowhere": ("só no feed", "in the feed alone"),
    "dev.off": ("desligado", "switched off"),
    "dev.send-to": ("Para onde vai um tipo de evento", "Where a type of event goes"),
    "dev.send-to-why": ("Sem URL, ele é contado só no feed.", "Without a URL it is told in the feed alone."),
    "dev.save": ("Gravar", "Save"),
    "dev.signing": ("Segredo que assina as entregas", "The secret that signs deliveries"),
    "dev.signing-why": (
        "O novo assina a partir de agora; por 24 horas as entregas levam as duas assinaturas.",
        "The new one signs from now on; for 24 hours deliveries carry both signatures.",
    ),
    "dev.signing-sure": (
        (
            "O segredo novo aparece uma vez, na próxima página, e assina a partir de agora. O de hoje assina ao lado dele "
            "por 24 horas; um segundo pedido nesse tempo o encerra na hora. Quem recebe os eventos tem de conhecer o "
            "novo."
        ),
        (
            "The new secret is shown once, on the next page, and signs from now on. Today's signs beside it for 24 hours; "
            "a second request in that time ends it at once. Whoever receives the events has to know the new one."
        ),
    ),
    "dev.again-sure": (
        (
            "Cada entrega que se encaixa, até 10.000, vai outra vez ao seu destino, com os mesmos bytes. O que foi "
            "enviado não volta."
        ),
        (
            "Each delivery that fits, up to 10,000, goes to its URL another time, with the same bytes. What was sent does "
            "not come back."
        ),
    ),
    "dev.test": ("Evento de teste", "A test event"),
    "dev.test-why": (
        "Manda um WEBHOOK.TEST com o exemplo do tipo escolhido. Sem URL, vai para onde o tipo vai.",
        "Sends a WEBHOOK.TEST with the example of the type. Without a URL it goes where the type goes.",
    ),
    "dev.send": ("Mandar", "Send"),
    "dev.again": ("Mandar de novo", "Send again"),
    "dev.again-why": (
        "Muitas entregas de uma vez, até 10.000. Sem escolha, as que não chegaram.",
        "Many deliveries at once, up to 10,000. Without a choice, those that did not arrive.",
    ),
    "dev.again-status": ("Situação", "Status"),
    "dev.again-any": ("as que não chegaram", "those that did not arrive"),
    "dev.any-type": ("todos os tipos", "any type"),
    "dev.from": ("De", "From"),
    "dev.to": ("Até", "To"),
    "dev.again-done": ("{count} entregas na fila.", "{count} deliveries are queued."),
    "dev.again-more": ("Pode haver outras: mande de novo.", "There may be more: send again."),
    "dev.done.url": ("Gravado.", "Saved."),
    "dev.done.test": ("O teste está a caminho; veja-o no feed.", "The test is on its way; see it in the feed."),
    "dev.deliveries": ("Eventos e suas entregas", "Events and their deliveries"),
    "dev.feed": ("O feed, ao vivo", "The feed, live"),
    "dev.feed-about": (
        "Os eventos da empresa na ordem de seus números, os mais novos primeiro.",
        "The company's events in the order of their numbers, the newest first.",
    ),
    "dev.live": ("Ao vivo: a página pergunta sozinha.", "Live: the page asks by itself."),
    "dev.paused": ("Parado. Continuar ao vivo", "Paused. Go on live"),
    "dev.refresh": ("Atualizar", "Refresh"),
    "dev.older": ("Mais antigos", "Older"),
    "dev.newest": ("Os mais novos", "The newest"),
    "dev.number": ("Número", "Number"),
    "dev.object": ("Objeto", "Object"),
    "dev.when": ("Quando", "When"),
    "dev.no-events": ("Nenhum evento aqui.", "No event here."),
    "dev.looked-at": ("Procurado entre {count} eventos.", "Looked for among {count} events."),
    "dev.only-type": ("Tipo", "Type"),
    "dev.show": ("Mostrar", "Show"),
}
