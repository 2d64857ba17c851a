package io.csi4j.volume.store;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Certificates for tests of encrypted connections, made with openssl in a directory. */
public final class TestCertificates {

  private static final List<String> NEW_KEY =
      List.of("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes");

  private final Path directory;

  /** Certificates in this directory. */
  public TestCertificates(Path directory) {
    this.directory = directory;
  }

  /** Makes {@code NAME.pem} and {@code NAME.key}, which sign others. */
  public void authority(String name) {
    openssl(
        List.of(
            List.of("req", "-x509"),
            NEW_KEY,
            List.of("-days", "2", "-subj", "/CN=" + name, "-keyout", name + ".key"),
            List.of("-out", name + ".pem")));
  }

  /**
   * Makes {@code NAME.pem} and {@code NAME.key}, signed by {@code ca}.
   *
   * @param subject the common name, which servers take for the name of a user
   * @param extensions the extensions of the certificate, a line each
   */
  public void certificate(String name, String subject, String extensions) {
    try {
      Files.writeString(file(name + ".ext"), extensions);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    openssl(
        List.of(
            List.of("req"),
            NEW_KEY,
            List.of("-subj", "/CN=" + subject, "-keyout", name + ".key", "-out", name + ".csr")));
    openssl(
        List.of(
            List.of("x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key"),
            List.of("-CAcreateserial", "-days", "2", "-extfile", name + ".ext"),
            List.of("-out", name + ".pem")));
  }

  /** Makes {@code NAME.pk8} of {@code NAME.key}: PKCS #8 in DER form without a password. */
  public void pkcs8(String name) {
    openssl(
        List.of(
            List.of("pkcs8", "-topk8", "-nocrypt", "-outform", "DER"),
            List.of("-in", name + ".key", "-out", name + ".pk8")));
  }

  /** Returns where a file of this name is. */
  public Path file(String name) {
    return directory.resolve(name);
  }

  private void openssl(List<List<String>> arguments) {
    List<String> command = new ArrayList<>(List.of("openssl"));
    arguments.forEach(command::addAll);
    try {
      Path log = file("openssl.log");
      int status =
          new ProcessBuilder(command)
              .directory(directory.toFile())
              .redirectErrorStream(true)
              .redirectOutput(log.toFile())
              .start()
              .waitFor();
      if (status != 0) {
        throw new AssertionError(String.join(" ", command) + ":\n" + Files.readString(log));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(e);
    }
  }
}
