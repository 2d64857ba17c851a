package io.csi4j.volume.cluster.grpc;

import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;

/** The names that a certificate gives to who shows it. */
final class CertificateNames {

  private static final int DNS = 2;

  private CertificateNames() {}

  /** Returns the DNS names and the common name in the certificate of the other side. */
  static Set<String> of(SSLSession session) {
    Set<String> names = new LinkedHashSet<>();
    try {
      Certificate[] chain = session.getPeerCertificates();
      if (chain.length > 0 && chain[0] instanceof X509Certificate own) {
        dnsNames(own, names);
        commonName(own, names);
      }
    } catch (SSLPeerUnverifiedException none) {
      return Set.of();
    }
    return names;
  }

  private static void dnsNames(X509Certificate own, Set<String> names) {
    try {
      var all = own.getSubjectAlternativeNames();
      if (all != null) {
        for (List<?> each : all) {
          if (Integer.valueOf(DNS).equals(each.get(0)) && each.get(1) instanceof String name) {
            names.add(name);
          }
        }
      }
    } catch (CertificateParsingException unreadable) {
      return;
    }
  }

  private static void commonName(X509Certificate own, Set<String> names) {
    try {
      new LdapName(own.getSubjectX500Principal().getName())
          .getRdns().stream()
              .filter(part -> part.getType().equalsIgnoreCase("CN"))
              .map(part -> String.valueOf(part.getValue()))
              .forEach(names::add);
    } catch (InvalidNameException unreadable) {
      return;
    }
  }
}
