package io.csi4j.volume.model;

import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/**
 * Certificates or a key in PEM form. A file is read again for each new connection, so a renewed
 * certificate is used without a restart. If the file cannot be read, existing connections continue.
 * The method {@code toString} never shows the contents.
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

  /** Returns PEM contents that are read from a file. */
  public static Pem file(Path path) {
    return new Pem(path.toString(), () -> new FileInputStream(path.toFile()));
  }

  /** Returns PEM contents that consist of these bytes. */
  public static Pem of(byte[] bytes) {
    byte[] copy = bytes.clone();
    return new Pem("given as bytes", () -> new ByteArrayInputStream(copy));
  }

  /** Opens the contents for reading. */
  public InputStream open() throws IOException {
    return source.open();
  }

  /** Returns the source of the contents. */
  @Override
  public String toString() {
    return name;
  }
}
