#include <microhttpd.h>
#include <netinet/in.h>
#include <string.h>

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

/// Who is at the other end, as a number: of IPv4 the address, of IPv6 the network (/64); 0 for this machine, or when it is not known.
static inline uint64_t mhd_client(struct MHD_Connection *connection) {
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    if (!info || !info->client_addr) return 0;
    uint64_t address = 0;
    if (info->client_addr->sa_family == AF_INET) {
        address = ntohl(((const struct sockaddr_in *)info->client_addr)->sin_addr.s_addr);
    } else if (info->client_addr->sa_family == AF_INET6) {
        const struct in6_addr *six = &((const struct sockaddr_in6 *)info->client_addr)->sin6_addr;
        if (IN6_IS_ADDR_LOOPBACK(six)) return 0;
        int from = IN6_IS_ADDR_V4MAPPED(six) ? 12 : 0;
        for (int i = from; i < (from ? 16 : 8); i++) address = address << 8 | six->s6_addr[i];
        if (!from) return address;
    }
    return address >> 24 == 127 ? 0 : address;
}
