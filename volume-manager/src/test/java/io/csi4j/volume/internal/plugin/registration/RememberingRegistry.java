package io.csi4j.volume.internal.plugin.registration;

import io.csi4j.volume.PluginId;
import io.csi4j.volume.plugin.InstanceId;
import io.csi4j.volume.plugin.PluginException;
import io.csi4j.volume.plugin.PluginFingerprint;
import io.csi4j.volume.plugin.PluginHandle;
import io.csi4j.volume.plugin.PluginHealth;
import io.csi4j.volume.plugin.PluginListener;
import io.csi4j.volume.plugin.PluginRegistration;
import io.csi4j.volume.plugin.PluginRegistry;
import io.csi4j.volume.plugin.PluginRole;
import io.csi4j.volume.plugin.RegisteredPlugin;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/** A registry that only writes down what is asked of it. */
final class RememberingRegistry implements PluginRegistry {

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
    history.add("+ " + shown);
    return new PluginHandle() {
      @Override
      public PluginRegistration registration() {
        return registration;
      }

      @Override
      public void report(PluginHealth health) {
        throw new UnsupportedOperationException();
      }

      @Override
      public void report(PluginFingerprint fingerprint) {
        throw new UnsupportedOperationException();
      }

      @Override
      public void close() {
        history.add("- " + shown);
      }
    };
  }

  @Override
  public boolean deregister(PluginId plugin, InstanceId instance) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<RegisteredPlugin> find(PluginId plugin, PluginRole role) {
    throw new UnsupportedOperationException();
  }

  @Override
  public RegisteredPlugin get(PluginId plugin, PluginRole role) {
    throw new UnsupportedOperationException();
  }

  @Override
  public CompletableFuture<RegisteredPlugin> await(
      PluginId plugin, PluginRole role, Duration limit) {
    throw new UnsupportedOperationException();
  }

  @Override
  public List<RegisteredPlugin> plugins() {
    throw new UnsupportedOperationException();
  }

  @Override
  public AutoCloseable listen(PluginRole role, PluginListener listener) {
    throw new UnsupportedOperationException();
  }
}
