package io.csi4j.volume.cluster.grpc;

import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** The names in a certificate. */
final class CertificateNames {

  private static final int DNS = 2;

  private CertificateNames() {}

  /**
   * Returns the DNS names in the certificate of the other side. Returns its common name only if it
   * has no alternative names: an authority that checks those need not check the common name.
   */
  static Set<String> of(SSLSession session) {
    try {
      Certificate[] chain = session.getPeerCertificates();
      return chain.length > 0 && chain[0] instanceof X509Certificate own ? of(own) : Set.of();
    } catch (SSLPeerUnverifiedException | CertificateParsingException | InvalidNameException none) {
      return Set.of();
    }
  }

  private static Set<String> of(X509Certificate own)
      throws CertificateParsingException, InvalidNameException {
    Set<String> names = new LinkedHashSet<>();
    Collection<List<?>> alternatives = own.getSubjectAlternativeNames();
    if (alternatives != null) {
      for (List<?> each : alternatives) {
        if (Integer.valueOf(DNS).equals(each.get(0)) && each.get(1) instanceof String name) {
          names.add(name);
        }
      }
      return names;
    }
    for (Rdn part : new LdapName(own.getSubjectX500Principal().getName()).getRdns()) {
      if (part.getType().equalsIgnoreCase("CN")) {
        names.add(String.valueOf(part.getValue()));
      }
    }
    return names;
  }
}
