package io.csi4j.mount.internal.change;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.csi4j.mount.model.MountException;

/** How a change was refused. */
final class Refusal {

  private Refusal() {}

  /** What a change throws, which has to refuse. */
  static MountException of(Runnable change) {
    return assertThatExceptionOfType(MountException.class).isThrownBy(change::run).actual();
  }
}
