"""What each law says in Portuguese; in English the database itself says it, as the comment on the law's view."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

LAWS: Mapping[str, str] = {
    "balances_equal_transfers": (
        "Débitos, reservas e créditos consolidados de uma conta são a soma dos lançamentos atrás deles."
    ),
    "no_account_below_floor": "O que resta a uma conta não fica abaixo do seu piso.",
    "what_is_owed_lies_on_loss": "O que uma conta deve é o que foi lançado em sua LOSS e ainda não foi pago de volta.",
    "what_is_owed_is_taken_at_rest": (
        "Uma conta que deve não tem nada disponível há mais de um minuto, quando nada está a caminho."
    ),
    "customer_accounts_have_a_floor": "Contas CUST e BLOCK, e só elas, têm uma linha de saldo.",
    "the_chart_is_whole": (
        "Toda empresa tem FEE, SUSP, TRANSIT e NET, toda conta CUST, BLOCK e LOSS, em cada moeda, e nenhuma outra forma."
    ),
    "a_ledger_account_has_the_id_of_its_name": "O id de uma conta do razão deriva do seu nome: nenhum nome tem duas contas.",
    "entries_add_up": (
        "As entradas de uma conta do razão são numeradas sem falhas na ordem do tempo, e cada uma "
        "deixa o saldo anterior mais o seu."
    ),
    "transfers_have_their_entries": (
        "O que é mais antigo que o cursor das entradas entrou uma vez em cada conta "
        "que moveu, como o lançamento diz, e não antes."
    ),
    "no_entry_below_zero": "Pelas entradas, uma conta nunca teve menos que seu piso: o que tirou vem atrás do que deu.",
    "a_hold_ends_as_it_began": "O que encerra uma reserva tem as contas, o valor, a moeda e o objeto dela.",
    "a_transfer_has_one_currency": "A moeda de um lançamento é a das suas duas contas.",
    "a_transfer_is_what_its_type_says": (
        "Um lançamento move entre as contas que seu tipo nomeia, na hora ou por reserva, para um objeto que assim se lança."
    ),
    "horizons_are_in_the_past": "Nada é consolidado, numerado ou datado além das transações que terminaram.",
    "in_transit_is_zero_at_rest": (
        "A soma das TRANSIT de todas as empresas é zero quando nada está a caminho de uma a outra."
    ),
    "clearing_equals_payments": (
        "O que uma NET diz que entrou é o que liquidou ali: recebimentos, menos "
        "devoluções, pagamentos, repasses e estornos, mais o que voltou."
    ),
    "suspense_is_explained": (
        "O que está em SUSP são recebimentos retidos, retornando ou sem destino, excessos "
        "não devolvidos e retornos que não cabem."
    ),
    "a_settlement_is_booked_and_told": "Um repasse é um lançamento de tudo para fora da conta, e um evento o diz.",
    "an_order_costs_what_its_plan_says": (
        "O valor final de uma cobrança é seu valor e as tarifas do cliente, e foi exatamente isso que se pagou."
    ),
    "a_paid_order_is_booked_once": (
        "Uma cobrança paga tem um recebimento liquidado, ou vários onde há partes, e "
        "lançamentos que os somam; outra não tem nenhum."
    ),
    "money_of_a_static_code_names_it": (
        "Uma cobrança que o dinheiro criou nomeia o código impresso por onde veio, se houve, e pagou o que ele pede."
    ),
    "a_payment_is_split_as_planned": "Do que se pagou fica a tarifa prevista, e o resto é creditado à conta da cobrança.",
    "a_paid_order_names_its_payment": (
        "O recebimento de uma cobrança liquidada nomeia id, valor, hora, conta e "
        "pagador; o de partes, a última hora e um pagador."
    ),
    "a_payment_is_of_one_company": (
        "Duas empresas não conhecem um recebimento do mesmo endToEndId, nem do mesmo id num parceiro."
    ),
    "a_reserved_order_waits": (
        "Uma cobrança com recebimento aceito fica aberta até o fim dele; com partes é "
        "PENDING, e elas somam menos que o pedido."
    ),
    "refunds_add_up": "O que uma cobrança devolveu é a soma das devoluções pagas e dos estornos, e sua situação diz quanto.",
    "what_fits_nothing_goes_back": (
        "Um recebimento que volta, ou seu excesso, está em suspenso e tem uma "
        "devolução que está onde ele está; uma parte espera ali."
    ),
    "a_refund_is_held_until_it_ends": (
        "Uma devolução reserva seu valor uma vez: aberta se PENDING, efetivada se "
        "PAID, liberada se ERROR, CREDITED ou PAID_OUT."
    ),
    "stranded_money_is_booked_as_decided": (
        "O que se decide de um retorno recusado é um lançamento de tudo, para a conta do destino ou para fora."
    ),
    "refunds_fit_what_was_paid": (
        "O que clientes e disputas querem de volta, e não falhou, é contado e nunca passa do que entrou."
    ),
    "a_refund_is_of_its_order": (
        "A devolução de um cliente, ou de uma disputa, devolve o recebimento da sua "
        "cobrança, da conta ou do bloqueado; outra tira do suspenso."
    ),
    "a_payout_is_held_until_it_ends": (
        "Um pagamento reserva valor e tarifa uma vez: abertos enquanto anda, efetivados se pago, liberados se não."
    ),
    "a_payout_is_sent_as_decided": (
        "Todo pagamento iniciado, e nenhum em análise, tem sua única ordem à rede, com "
        "seu id e valor; nenhuma ordem é avulsa."
    ),
    "a_payout_ends_by_the_networks_word": (
        "Um pagamento é PAID, ou ERROR depois de enviado, porque sua rede o "
        "disse, e depois da palavra dela não é outra coisa."
    ),
    "returns_of_payouts_add_up": (
        "O que voltou de um pagamento é a soma dos retornos e dos seus lançamentos, e a situação diz quanto."
    ),
    "what_came_back_is_booked_as_decided": (
        "O que se decide do que voltou e não cabe é um lançamento de tudo, e o histórico o diz."
    ),
    "a_batch_is_its_children": (
        "Um lote tem tantas transferências quantas partes, que o somam, e sua situação segue as delas, em repouso."
    ),
    "quotas_count_what_was_sent": "O usado dos limites do dia e da noite é a soma dos pagamentos de então que não falharam.",
    "every_move_allowed": "Todo movimento do histórico está na tabela de transições.",
    "history_is_dense": (
        "As versões de um objeto são 1, 2, 3 e assim por diante, e cada movimento começa onde o anterior acabou."
    ),
    "state_is_the_last_of_history": "A situação e a versão de um objeto são as da última linha do seu histórico.",
    "history_has_its_object": "Toda linha do histórico é de um objeto que existe.",
    "times_are_those_of_history": "Um objeto foi criado quando seu histórico começa e alterado quando se moveu por último.",
    "what_waits_has_its_time": (
        "O que está aberto, e nada mais, tem sua próxima hora: cobranças, planos e o que espera numa rede."
    ),
    "nothing_is_overdue_at_rest": "O que venceu há mais de um minuto está feito, quando nada está a caminho.",
    "each_fact_is_told_once": (
        "Cada fim de cobrança ou pagamento, cada virada de assinatura, plano e pedido de "
        "conta, cada retorno e devolução tem um evento."
    ),
    "an_event_tells_what_happened": "Um evento conta um movimento que foi feito, e seu corpo nomeia o objeto e o valor.",
    "feed_is_dense": "Os números dos eventos de uma empresa são 1, 2, 3 e assim por diante, até o cursor.",
    "feed_is_in_order": "Os números dos eventos seguem a ordem das gravações, e as horas sobem com eles.",
    "no_event_is_passed_over": "Todo evento de uma transação abaixo do cursor tem seu número.",
    "each_numbered_event_is_delivered_or_due": (
        "Um evento numerado com URL tem sua entrega; a que está PENDING ou RETRYING, e só ela, tem hora."
    ),
    "a_delivery_is_of_its_event": (
        "Uma entrega tem o tipo, o objeto, o número e a hora do seu evento, e a URL dele, se tem uma."
    ),
    "a_forgotten_body_leaves_its_hash": "Um evento tem seu corpo até o feed começar atrás dele; daí em diante fica o hash.",
    "an_erased_body_is_as_it_was_left": (
        "Um evento de cujo corpo se apagou uma pessoa tem o corpo que ficou, até ser esquecido."
    ),
    "attempts_are_counted": "As tentativas de uma entrega são 1, 2, 3 e assim por diante, até a sua conta.",
    "a_delivery_stands_where_its_plan_does": (
        "A situação de uma entrega condiz com suas tentativas, cinco no máximo; à entregue se respondeu 200."
    ),
    "events_arrive_in_order": "Nenhum evento de um objeto vai a uma URL antes de o anterior ser aceito ou desistido.",
    "a_message_is_open_or_done": "Uma mensagem ou está por fazer, ou feita, com resultado e sem ninguém nela.",
    "the_network_hears_what_was_decided": (
        "Toda pergunta da rede tem uma resposta, sobre seu recebimento, e sim só se diz ao que foi admitido."
    ),
    "a_return_is_sent_as_decided": (
        "Toda devolução tem sua única ordem à rede, com id, recebimento, valor e motivo, e nenhuma ordem fica sem devolução."
    ),
    "the_books_say_what_the_network_said": (
        "Recebimentos e devoluções terminaram como a rede disse, e nenhum terminou sem a palavra dela."
    ),
    "the_books_say_what_the_partner_said": (
        "Recebimentos num parceiro são anunciados, liquidados e anulados como ele disse, no valor que disse."
    ),
    "an_order_has_its_instrument": (
        "Uma cobrança por parceiro tem seu único instrumento, tornado pagável ali uma vez, no valor final."
    ),
    "a_card_is_charged_as_decided": (
        "Uma cobrança por cartão tem um só pagamento, que está onde ela está e é cobrado uma vez, nunca depois de N ou R."
    ),
    "a_chargeback_is_booked_once": "O que os emissores tomaram de volta saiu da conta da cobrança, ou é devido, ao centavo.",
    "a_plan_is_its_lines": (
        "Um plano conferido tem todas as suas linhas e o hash delas; sua situação é o que foi feito delas."
    ),
    "a_plan_is_applied_as_approved": (
        "Um plano não faz pagamento antes das assinaturas que exige, e cada pagamento é como a linha foi conferida."
    ),
    "a_subscription_goes_with_its_order": (
        "Uma assinatura com primeira cobrança tem sua cobrança, de mesmos "
        "termos: aberta até a autorização, depois paga, ou encerrada com ela."
    ),
    "a_subscription_is_canceled_by_a_cancellation": (
        "Uma assinatura é CANCELED onde um cancelamento foi aceito, e só uma ACCEPTED espera resposta a um."
    ),
    "an_authorization_was_given": (
        "Toda pergunta sobre uma autorização tem uma resposta, e ao autorizado se disse "
        "sim, ou pagou quem ele diz, exatamente assim."
    ),
    "a_cancellation_is_asked_as_decided": (
        "O que espera pelo banco do pagador foi pedido a ele, uma vez, por seu nome; e nada se pede sem decisão."
    ),
    "a_scheduled_payment_goes_with_its_order": (
        "Uma cobrança agendada e sua cobrança andam juntas, com um código, um valor e os termos da assinatura."
    ),
    "a_cycle_is_charged_once": (
        "Uma cobrança fica em seu ciclo, liquida em seu dia ou no dia útil seguinte, e só divide o ciclo com encerradas."
    ),
    "a_payment_is_its_attempts": (
        "Uma cobrança é PAID por uma tentativa; uma aberta tem no máximo uma tentativa aberta e uma assinatura ACCEPTED."
    ),
    "a_charge_is_sent_as_decided": (
        "Toda tentativa tem sua única instrução ao banco do pagador, com cobrança, dias e valor, e nenhuma é avulsa."
    ),
    "no_failure_ends_a_charge_before_its_last_window": (
        "O que falhou em um banco no dia da cobrança, antes do fim da última janela, é enviado de novo para o mesmo dia e"
        " não conta como nova tentativa."
    ),
    "an_attempt_ends_by_the_networks_word": "Nenhuma tentativa é REJECTED ou EXPIRED sem a rede dizer.",
    "what_is_blocked_is_disputed": "O bloqueado de uma conta é o que as disputas sobre ela bloqueiam, juntas.",
    "a_watched_account_keeps_what_is_lacking": (
        "Dos créditos posteriores guarda-se o que falta aos pedidos de devolução que vigiam a conta, e devolve-se o que foi"
        " bloqueado, não mais."
    ),
    "a_dispute_is_answered_as_decided": (
        "Um pedido de devolução é aceito com a devolução feita para ele, nesse valor, e recusado ou cancelado sem nenhuma."
    ),
    "the_directory_hears_what_was_decided": (
        "O diretório ouve que uma notificação chegou, o que se decidiu e a resposta de cada pedido, e nada mais."
    ),
    "an_answer_has_its_object": "Aquilo de que um sim guardado fala existe; a cobrança de um cancelamento é CANCELED.",
    "an_answer_is_kept_its_time": (
        "Uma resposta guardada tem seu corpo até o fim do seu mês, e para sempre onde a chave é para sempre."
    ),
    "a_reconciled_day_is_in_the_ledger": (
        "Num dia de extrato lido e explicado, o que ele diz que entrou e saiu é o que moveu as NET."
    ),
    "numbers_lead_to_their_owner": (
        "O número de uma empresa ou conta e uma chave ativa levam ao dono, e nenhum a lugar nenhum."
    ),
    "ids_name_their_company": (
        "Nossos ids de cliente, txids, locations, tokens, endToEndIds, idRecs e números de "
        "TED e retorno levam o número da empresa."
    ),
    "an_account_is_the_companys_own": "As contas que um recebimento ou uma empresa nomeia são da própria empresa.",
    "an_approved_request_has_its_account": (
        "Um pedido de conta tem uma exatamente quando aprovado, do titular para quem foi feito."
    ),
    "a_closed_account_was_asked_to_close": "Uma conta é CLOSED exatamente quando um pedido de encerrá-la foi concedido.",
    "a_closed_account_has_nothing_at_rest": (
        "Uma conta CLOSED não tem dinheiro, pendência, cobrança, assinatura nem chave, quando nada está a caminho."
    ),
    "a_code_is_sent_and_counted": "Cada código de uma prova é enviado uma vez, cada errado é contado, e o quinto a encerra.",
    "a_proof_makes_its_key": (
        "Uma chave de e-mail ou telefone foi feita por uma prova, da mesma conta, ou ganha por reivindicação."
    ),
    "a_claim_moves_its_key": (
        "Uma reivindicação de outro banco está em sua chave até ser confirmada ou cancelada; a nossa concluída fez a chave."
    ),
    "no_key_here_is_elsewhere": (
        "Nenhuma chave está ACTIVE aqui se o diretório a tem em outro lugar: se a levou a reivindicação de outro banco,"
        " confirmada ou concluída."
    ),
    "the_directory_hears_of_claims": (
        "Cada reivindicação de uma chave daqui é acusada uma vez, e cada portabilidade confirmada a nós, concluída uma vez."
    ),
    "every_change_of_a_person_is_told": (
        "Uma pessoa do console tem uma linha nos atos para cada versão, e nenhuma para versão que não tem."
    ),
    "a_reference_is_of_one_company": (
        "Duas empresas não têm instrumento, cobrança, recebimento, retorno ou recorrência sob um nome, em qualquer era."
    ),
    "nothing_settles_before_it_was_created": (
        "Nada foi pago, enviado, devolvido ou tomado de volta antes de haver cobrança, pagamento ou devolução para isso."
    ),
}
