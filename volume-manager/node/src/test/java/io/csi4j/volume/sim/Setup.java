package io.csi4j.volume.sim;

/**
 * What kind of histories are played.
 *
 * @param host what the host does
 * @param shared whether several workloads may use the volume at once
 * @param serialising whether the plugin refuses a call while it works on another for the volume
 * @param journal whether the state is the journal on a disk that can fail, and not memory
 * @param crashes how often the host may crash
 * @param faults how often something else may go wrong
 * @param claims whether the host claims what it mounts, in a cluster where claims move on
 * @param watched whether the plugins are asked for the health of volumes
 * @param refreshes whether what is mounted is refreshed with other contexts
 * @param inline whether volumes are inline: all of a short history, some of a long one
 * @param strict whether the plugin refuses, without a word, to unpublish what is not mounted
 */
record Setup(
    Drive host,
    boolean shared,
    boolean serialising,
    boolean journal,
    int crashes,
    int faults,
    boolean claims,
    boolean watched,
    boolean refreshes,
    boolean inline,
    boolean strict) {

  /** What the host does. */
  enum Drive {
    /** Two operations: a workload comes and goes. */
    BRIEF,
    /** Four operations, one after the other. */
    DRILL,
    /** Four operations, some before the one before has ended. */
    HURRY,
    /** A plugin that is started anew, forgets, or is unhealthy while workloads use it. */
    MEND,
    /** Many operations on two volumes at random, with all kinds of trouble. */
    ROAM
  }

  /** One volume, four operations, state in memory: small enough for all histories. */
  static Setup drill(boolean shared, boolean serialising, int crashes, int faults) {
    return new Setup(
        Drive.DRILL,
        shared,
        serialising,
        false,
        crashes,
        faults,
        false,
        false,
        false,
        false,
        false);
  }

  /** One volume whose plugin is in trouble: small enough for all histories. */
  static Setup mend(boolean shared, int crashes, int faults) {
    return drill(shared, false, crashes, faults).with(Drive.MEND);
  }

  /** Random histories with the journal on a failing disk. */
  static Setup roam(boolean shared, boolean serialising, int crashes, int faults) {
    return new Setup(
        Drive.ROAM, shared, serialising, true, crashes, faults, false, false, false, false, false);
  }

  Setup with(Drive other) {
    return new Setup(
        other,
        shared,
        serialising,
        journal,
        crashes,
        faults,
        claims,
        watched,
        refreshes,
        inline,
        strict);
  }

  /** The same with claims. */
  Setup claimed() {
    return new Setup(
        host,
        shared,
        serialising,
        journal,
        crashes,
        faults,
        true,
        watched,
        refreshes,
        inline,
        strict);
  }

  /** The same, where plugins are asked for the health of volumes. */
  Setup watching() {
    return new Setup(
        host,
        shared,
        serialising,
        journal,
        crashes,
        faults,
        claims,
        true,
        refreshes,
        inline,
        strict);
  }

  /** The same, where what is mounted is refreshed. */
  Setup refreshing() {
    return new Setup(
        host, shared, serialising, journal, crashes, faults, claims, watched, true, inline, strict);
  }

  /** The same with inline volumes, which cannot be claimed. */
  Setup inlining() {
    return new Setup(
        host,
        shared,
        serialising,
        journal,
        crashes,
        faults,
        claims,
        watched,
        refreshes,
        true,
        strict);
  }

  /** The same, where the plugin refuses to unpublish what is not mounted. */
  Setup refusing() {
    return new Setup(
        host,
        shared,
        serialising,
        journal,
        crashes,
        faults,
        claims,
        watched,
        refreshes,
        inline,
        true);
  }

  boolean mends() {
    return host == Drive.MEND;
  }

  boolean roams() {
    return host == Drive.ROAM;
  }

  @Override
  public String toString() {
    return host.name().toLowerCase(java.util.Locale.ROOT)
        + (shared ? ", shared" : ", single writer")
        + (serialising ? ", serialising" : ", not serialising")
        + (journal ? ", journal" : "")
        + (claims ? ", claimed" : "")
        + (watched ? ", watched" : "")
        + (refreshes ? ", refreshed" : "")
        + (inline ? ", inline" : "")
        + (strict ? ", strict" : "")
        + ", "
        + crashes
        + " crashes, "
        + faults
        + " faults";
  }
}
