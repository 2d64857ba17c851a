package io.csi4j.volume.claim.etcd;

import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * Certificates or a key in PEM form. A file is read when a store is opened, and again when the
 * store replaces a broken connection: while it cannot be read then, the store keeps the connection
 * that it has. No text shows the contents.
 *
 * @since 1.0
 */
public final class Pem {

  private final String name;
  private final Source source;

  private interface Source {
    InputStream open() throws IOException;
  }

  private Pem(String name, Source source) {
    this.name = name;
    this.source = source;
  }

  /** Returns the contents of a file. */
  public static Pem file(Path path) {
    return new Pem(path.toString(), () -> new FileInputStream(path.toFile()));
  }

  /** Returns these bytes as PEM. */
  public static Pem of(byte[] bytes) {
    byte[] copy = bytes.clone();
    return new Pem("given as bytes", () -> new ByteArrayInputStream(copy));
  }

  InputStream open() throws IOException {
    return source.open();
  }

  /** Where it comes from. */
  @Override
  public String toString() {
    return name;
  }
}
