package io.csi4j.volume.controller;

import io.csi4j.client.controller.ControllerService;
import io.csi4j.client.group.GroupControllerService;
import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.CsiOperation;
import io.csi4j.client.model.Secrets;
import io.csi4j.volume.internal.text.Subject;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SecretsProvider;
import java.util.Collections;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;

/**
 * One call to a controller. Its secrets are asked for at the moment when it is sent.
 *
 * @param plugin the plugin
 * @param operation the call
 * @param subject what it is about, for messages
 * @param lanes what it has to have for itself
 * @param secrets where its secrets come from
 * @param sending sends it
 * @param <T> its answer
 */
record ControllerCall<T>(
    PluginId plugin,
    CsiOperation operation,
    Subject subject,
    SortedSet<VolumeLane> lanes,
    SecretsProvider secrets,
    Sending<T> sending) {

  /** Copies the lanes. */
  public ControllerCall {
    lanes = Collections.unmodifiableSortedSet(new TreeSet<>(lanes));
  }

  /** A copy of this call that is sent in another way. */
  ControllerCall<T> sentBy(Sending<T> other) {
    return new ControllerCall<>(plugin, operation, subject, lanes, secrets, other);
  }

  /**
   * Sends a call.
   *
   * @param <T> its answer
   */
  @FunctionalInterface
  public interface Sending<T> {

    /** Sends it once, with these secrets. */
    CompletionStage<T> send(Services services, Secrets secrets);
  }

  /**
   * The services of a plugin that is connected.
   *
   * @param controller for volumes and snapshots
   * @param group for snapshots of several volumes
   * @param endpoint where it listens
   */
  public record Services(
      ControllerService.Async controller,
      GroupControllerService.Async group,
      CsiEndpoint endpoint) {}
}
