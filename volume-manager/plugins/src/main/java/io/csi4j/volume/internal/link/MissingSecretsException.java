package io.csi4j.volume.internal.link;

import java.io.Serial;

/** Secrets that the host's provider did not give. The message is a clause, and never the host's. */
public final class MissingSecretsException extends Exception {

  @Serial private static final long serialVersionUID = 1L;

  MissingSecretsException(String why) {
    super("the host's provider of secrets " + why);
  }
}
