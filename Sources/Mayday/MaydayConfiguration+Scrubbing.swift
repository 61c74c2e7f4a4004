/// What is taken out of reports before they leave the machine. The report in the spool, which only the service's user can
/// read, keeps it.
///
/// Values of tags, user, request, context and breadcrumbs go by their name. In texts (messages, errors, breadcrumbs), what
/// stands behind such a name, a bearer token, tokens that tell by their beginning what they are, the user's part of a URL and a
/// private key go. It finds what is usual, not everything (`docs/errors.md` has the limits): `beforeSend` is for what only the
/// service knows.
public struct Scrubbing: Sendable, Equatable {
    /// False leaves reports as they are.
    public var isEnabled: Bool
    /// Parts of names, in lower case without `-` and `_`, whose values are taken out. One that begins with `-` is the last word
    /// of a name: `-pin` is found in `pin`, `card_pin` and `cardPin`, not in `spin`.
    public var names: Set<String> {
        get { ownNames ?? Scrubbing.usualNames }
        set { ownNames = newValue }
    }
    /// nil for the usual ones: a set is made when it is needed, not at the first line of `main`.
    private var ownNames: Set<String>?
    /// True takes out what looks like an e-mail address. False by default: in many services it is how a user is found.
    public var emails: Bool

    /// What stands in place of what was taken out.
    public static let mark = "[removed]"

    /// Passwords, tokens, keys, cookies and the like.
    public static let usualNames: Set<String> = [
        "password", "passwd", "passphrase", "pwd", "secret", "token", "authorization", "cookie", "apikey", "accesskey",
        "privatekey", "credential", "sessionid", "csrf", "xsrf", "creditcard", "cardnumber", "cvv",
        "jwt", "passcode", "-pass", "-pw", "-pin", "-auth", "-sig", "-signature",
    ]

    /// What is usual. `names` nil is `usualNames`.
    public init(isEnabled: Bool = true, names: Set<String>? = nil, emails: Bool = false) {
        self.isEnabled = isEnabled
        ownNames = names
        self.emails = emails
    }
}
