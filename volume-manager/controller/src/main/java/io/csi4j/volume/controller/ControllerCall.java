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
 * One call to a controller. Its secrets are requested just before it is sent.
 *
 * @param plugin the plugin
 * @param operation the operation of CSI
 * @param subject the subject of the call, for messages
 * @param lanes the lanes that the call needs exclusively
 * @param secrets the provider of its secrets
 * @param sending sends the call
 * @param <T> the type of the answer
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

  /** Returns a copy of this call that is sent in another way. */
  ControllerCall<T> sentBy(Sending<T> other) {
    return new ControllerCall<>(plugin, operation, subject, lanes, secrets, other);
  }

  /**
   * Sends a call.
   *
   * @param <T> the type of the answer
   */
  @FunctionalInterface
  public interface Sending<T> {

    /** Sends the call once, with these secrets. */
    CompletionStage<T> send(Services services, Secrets secrets);
  }

  /**
   * The services of a connected plugin.
   *
   * @param controller the service for volumes and snapshots
   * @param group the service for group snapshots
   * @param endpoint the socket of the plugin
   */
  public record Services(
      ControllerService.Async controller,
      GroupControllerService.Async group,
      CsiEndpoint endpoint) {}
}
