package io.csi4j.volume.node;

import java.time.Duration;

/**
 * The limits of a manager.
 *
 * @param patience how long a blocking call waits for its operation
 * @param waiters how many operations may wait for one volume
 * @param tombstones how long what is left of a volume is remembered
 * @param closing how long closing waits for what is being done
 * @param threads how many threads work for volumes
 * @param events how many events may wait for a slow listener
 * @param secretsLimit how long the host may take to give the secrets of a call
 */
public record ManagerSettings(
    Duration patience,
    int waiters,
    Duration tombstones,
    Duration closing,
    int threads,
    int events,
    Duration secretsLimit) {

  private static final ManagerSettings DEFAULTS =
      new ManagerSettings(
          Duration.ofMinutes(5),
          64,
          Duration.ofMinutes(10),
          Duration.ofSeconds(10),
          8,
          10_000,
          Duration.ofSeconds(60));

  /** Refuses what makes no sense. */
  public ManagerSettings {
    if (patience.isZero() || patience.isNegative()) {
      throw new IllegalArgumentException("The patience has to be positive, not " + patience + ".");
    }
    if (secretsLimit.isZero() || secretsLimit.isNegative()) {
      throw new IllegalArgumentException(
          "The time for secrets has to be positive, not " + secretsLimit + ".");
    }
    if (tombstones.isNegative() || closing.isNegative()) {
      throw new IllegalArgumentException(
          "A time is negative: " + tombstones + ", " + closing + ".");
    }
    if (waiters < 1 || threads < 1 || events < 1) {
      throw new IllegalArgumentException("At least one waiter, thread and event are needed.");
    }
  }

  /** Returns settings that suit most hosts. */
  public static ManagerSettings defaults() {
    return DEFAULTS;
  }

  /** These settings with another patience. */
  public ManagerSettings withPatience(Duration value) {
    return new ManagerSettings(value, waiters, tombstones, closing, threads, events, secretsLimit);
  }

  /** These settings with another number of operations that may wait for one volume. */
  public ManagerSettings withWaiters(int value) {
    return new ManagerSettings(patience, value, tombstones, closing, threads, events, secretsLimit);
  }

  /** These settings with another time for which what is left of a volume is remembered. */
  public ManagerSettings withTombstones(Duration value) {
    return new ManagerSettings(patience, waiters, value, closing, threads, events, secretsLimit);
  }

  /** These settings with another time that closing may wait. */
  public ManagerSettings withClosing(Duration value) {
    return new ManagerSettings(patience, waiters, tombstones, value, threads, events, secretsLimit);
  }

  /** These settings with another number of threads. */
  public ManagerSettings withThreads(int value) {
    return new ManagerSettings(patience, waiters, tombstones, closing, value, events, secretsLimit);
  }

  /** These settings with another number of events that may wait. */
  public ManagerSettings withEvents(int value) {
    return new ManagerSettings(
        patience, waiters, tombstones, closing, threads, value, secretsLimit);
  }

  /** These settings with another time that the host may take to give the secrets of a call. */
  public ManagerSettings withSecretsLimit(Duration value) {
    return new ManagerSettings(patience, waiters, tombstones, closing, threads, events, value);
  }
}
