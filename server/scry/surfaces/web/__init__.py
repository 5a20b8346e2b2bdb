"""What servers over HTTP have in common, whatever they serve: where they listen, whom they let in, and their patience.

Only this machine is served: TCP listens on the loopback address alone and asks for a token; a Unix socket belongs to
the person by its file mode.

listening    sockets                      token       the secret of those who come over TCP
guard        who is refused, and why      connection  clients that are slow, or too many
replies      JSON, and errors as JSON     server      from the start to a graceful end
"""
