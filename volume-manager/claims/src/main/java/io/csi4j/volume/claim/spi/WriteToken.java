package io.csi4j.volume.claim.spi;

import java.util.Objects;
import java.util.UUID;

/**
 * The mark of one try to write a claim, kept with what it wrote: so that who lost the answer can
 * see whether the write got through.
 *
 * @param value the mark, another one for each try
 * @since 1.0
 */
public record WriteToken(UUID value) {

  /** Checks that it is there. */
  public WriteToken {
    Objects.requireNonNull(value, "value");
  }

  @Override
  public String toString() {
    return value.toString();
  }
}
