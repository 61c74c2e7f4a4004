#include <microhttpd.h>

/// `MHD_start_daemon`, which is variadic and so out of Swift's reach. `options` ends with MHD_OPTION_END.
static inline struct MHD_Daemon *mhd_start(
    unsigned int flags,
    uint16_t port,
    MHD_AccessHandlerCallback handler,
    void *handler_context,
    const struct MHD_OptionItem *options
) {
    return MHD_start_daemon(
        flags, port, NULL, NULL, handler, handler_context, MHD_OPTION_ARRAY, options, MHD_OPTION_END
    );
}

/// The port a daemon listens on, also when it asked for port 0; 0 when it is not known.
static inline uint16_t mhd_port(struct MHD_Daemon *daemon) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT);
    return info ? info->port : 0;
}

/// The socket of a connection; -1 when it is not known.
static inline int mhd_socket(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

/// What the connection was marked with when it began; NULL when it was not.
static inline void *mhd_socket_context(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}
