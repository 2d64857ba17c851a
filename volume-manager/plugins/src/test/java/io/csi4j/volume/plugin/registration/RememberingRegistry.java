package io.csi4j.volume.plugin.registration;

import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginEvent;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import io.csi4j.volume.plugin.supervision.InMemoryPluginRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A real registry that writes down what is registered with it, and refuses when a test wants it.
 */
final class RememberingRegistry implements PluginRegistry {

  private final PluginRegistry registry = InMemoryPluginRegistry.open();
  private final List<String> history = new CopyOnWriteArrayList<>();
  private volatile @Nullable PluginException refusal;

  /** Refuses from now on. */
  void refuse(PluginException with) {
    refusal = with;
  }

  /** What was asked, one line each. */
  List<String> history() {
    return List.copyOf(history);
  }

  @Override
  public PluginHandle register(PluginRegistration registration) {
    PluginException thrown = refusal;
    if (thrown != null) {
      throw thrown;
    }
    String shown =
        registration.id()
            + " of "
            + registration.instance()
            + " at "
            + registration.binding().endpoint().path()
            + " "
            + registration.roles();
    PluginHandle real = registry.register(registration);
    history.add("+ " + shown);
    return new PluginHandle() {
      @Override
      public PluginRegistration registration() {
        return real.registration();
      }

      @Override
      public void report(PluginHealth health) {
        real.report(health);
      }

      @Override
      public void report(PluginFingerprint fingerprint) {
        real.report(fingerprint);
      }

      @Override
      public void close() {
        history.add("- " + shown);
        real.close();
      }
    };
  }

  @Override
  public boolean deregister(PluginId plugin, InstanceId instance) {
    return registry.deregister(plugin, instance);
  }

  @Override
  public Optional<RegisteredPlugin> find(PluginId plugin, PluginRole role) {
    return registry.find(plugin, role);
  }

  @Override
  public RegisteredPlugin get(PluginId plugin, PluginRole role) {
    return registry.get(plugin, role);
  }

  @Override
  public CompletableFuture<RegisteredPlugin> await(
      PluginId plugin, PluginRole role, Duration limit) {
    return registry.await(plugin, role, limit);
  }

  @Override
  public List<RegisteredPlugin> plugins() {
    return registry.plugins();
  }

  @Override
  public AutoCloseable listen(PluginRole role, PluginEvent.Listener listener) {
    return registry.listen(role, listener);
  }
}
