package io.csi4j.volume.plugin.registration;

import io.csi4j.client.model.ConnectOptions;
import io.csi4j.volume.model.PluginBinding;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginConfig;
import io.csi4j.volume.plugin.PluginRegistration;
import java.util.Objects;

/**
 * Makes a registration of what is announced, or refuses it. Asked for one announcement at a time;
 * one that throws has refused. What a {@link io.csi4j.volume.plugin.PluginException} says is told
 * to the registrar and the listener, of other exceptions the class only.
 *
 * @since 1.0
 */
@FunctionalInterface
public interface AnnouncementPolicy {

  /** Decides about an announcement. */
  Decision decide(Announcement announcement);

  /** The possible decisions. */
  sealed interface Decision {

    /**
     * The plugin is registered, without supervision.
     *
     * @param registration its registration
     */
    record Register(PluginRegistration registration) implements Decision {
      /** Checks that it is there. */
      public Register {
        Objects.requireNonNull(registration, "registration");
      }
    }

    /**
     * The plugin is supervised, and registered while it is ready.
     *
     * @param config its configuration; its socket has to be the announced one
     * @param instance which instance it is
     */
    record Supervise(PluginConfig config, InstanceId instance) implements Decision {
      /** Checks that all parts are there. */
      public Supervise {
        Objects.requireNonNull(config, "config");
        Objects.requireNonNull(instance, "instance");
      }
    }

    /**
     * The plugin is refused.
     *
     * @param reason why, as a clause for people; the registrar is told
     */
    record Refuse(String reason) implements Decision {
      /** Checks that it is there. */
      public Refuse {
        Objects.requireNonNull(reason, "reason");
      }
    }
  }

  /**
   * Registers every plugin under its own name, for volumes of this node, and demands that name of
   * it when it is connected. The instance is called after the socket of its registrar, so that one
   * that comes again takes its own place.
   */
  static AnnouncementPolicy nodes() {
    return announcement ->
        new Decision.Register(
            PluginRegistration.node(
                PluginBinding.builder(
                        PluginId.of(announcement.name().value()), announcement.endpoint())
                    .connectOptions(
                        ConnectOptions.builder().requireName(announcement.name()).build())
                    .build(),
                InstanceId.of(String.valueOf(announcement.socket().getFileName()))));
  }
}
