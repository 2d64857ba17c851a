package io.csi4j.volume.controller;

import java.time.Duration;

/** Opens control planes whose sessions end sooner than those of hosts. */
public final class ShortSessions {

  private ShortSessions() {}

  /**
   * Opens a control plane.
   *
   * @param expiry how long its sessions, and those of others, are seen without a renewal
   */
  public static VolumeController open(VolumeController.Builder builder, Duration expiry) {
    return with(builder, expiry).open();
  }

  /**
   * Sets it for a control plane that another one opens.
   *
   * @param expiry how long its sessions, and those of others, are seen without a renewal
   */
  public static VolumeController.Builder with(VolumeController.Builder builder, Duration expiry) {
    return builder.sessionExpiry(expiry);
  }
}
