package io.csi4j.testkit;

import io.csi4j.client.model.CsiEndpoint;
import io.csi4j.client.model.PluginName;
import io.csi4j.client.registration.PluginRegistrar;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.internal.server.RegistrarCore;
import io.csi4j.testkit.model.PluginClock;
import io.csi4j.testkit.model.RegistrationCall;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A registrar that announces a plugin on a real UNIX socket in a watched directory, as the sidecars
 * of Kubernetes do. Tests can inject faults into its calls.
 *
 * <p>The socket is called {@code NAME-reg.sock}, where {@code NAME} is the name of the plugin. The
 * registrar listens from its opening until {@link #close}. Like the Kubernetes sidecars, it exits
 * when the caller reports that the plugin was refused: the call gets no answer, and the socket file
 * remains. Only {@link #start} starts the registrar again. All methods are safe for use by many
 * threads.
 *
 * @since 1.0
 */
public final class FakeRegistrar implements AutoCloseable {

  private final RegistrarCore core;

  private FakeRegistrar(RegistrarCore core) {
    this.core = core;
  }

  /** Opens a registrar that announces a CSI plugin with the interface version 1.0.0. */
  public static FakeRegistrar open(Path directory, PluginName plugin, CsiEndpoint endpoint) {
    return builder(directory).announce(Announced.of(plugin, endpoint)).open();
  }

  /** Returns a builder for a registrar; the directory must exist. */
  public static Builder builder(Path directory) {
    return new Builder(directory);
  }

  /** An announcement of a registrar. Any values are allowed, including invalid ones. Immutable. */
  public static final class Announced {
    private final String type;
    private final String name;
    private final String endpoint;
    private final List<String> versions;

    private Announced(String type, String name, String endpoint, List<String> versions) {
      this.type = type;
      this.name = name;
      this.endpoint = endpoint;
      this.versions = versions;
    }

    /** Returns the announcement of a CSI plugin with the interface version 1.0.0. */
    public static Announced of(PluginName plugin, CsiEndpoint endpoint) {
      String socket = endpoint.path().toString();
      return new Announced("CSIPlugin", plugin.value(), socket, List.of("1.0.0"));
    }

    /** Returns this announcement with another plugin type. */
    public Announced type(String value) {
      return new Announced(value, name, endpoint, versions);
    }

    /** Returns this announcement with another plugin name. */
    public Announced name(String value) {
      return new Announced(type, value, endpoint, versions);
    }

    /** Returns this announcement with another endpoint. */
    public Announced endpoint(String value) {
      return new Announced(type, name, value, versions);
    }

    /** Returns this announcement with other versions of the plugin's interface. */
    public Announced versions(String... values) {
      return new Announced(type, name, endpoint, List.of(values));
    }

    private void by(RegistrarCore core) {
      core.announce(type, name, endpoint, versions);
    }
  }

  /** Returns the path of the socket. */
  public Path socket() {
    return core.endpoint().path();
  }

  /** Sets the announcement that callers get from now on. */
  public void announce(Announced announced) {
    announced.by(core);
  }

  /**
   * Injects {@code fault} into every call of this kind from now on. It replaces the fault injected
   * into such calls before. If a fault concerns the work of a notification, that work is to record
   * the reported outcome.
   *
   * @throws IllegalArgumentException if the fault sets or changes the answer of a plugin, or is
   *     {@code OTHER_ID} or {@code LOOPING_PAGE}: the answers of a registrar contain neither ids
   *     nor pages
   */
  public void inject(RegistrationCall call, Fault fault) {
    core.inject(call, fault, Integer.MAX_VALUE);
  }

  /**
   * Injects {@code fault} into the next call of this kind only. In all other respects, this method
   * is the same as {@link #inject}.
   */
  public void injectOnce(RegistrationCall call, Fault fault) {
    core.inject(call, fault, 1);
  }

  /** Removes every fault. Calls that a fault is holding continue to wait until {@link #release}. */
  public void clearFaults() {
    core.clearFaults();
  }

  /** Releases every call that a fault holds. */
  public void release() {
    core.release();
  }

  /** Returns the number of calls that requested the announcement. */
  public int asked() {
    return core.asked();
  }

  /** Returns the outcomes that callers reported for the announcement, in order. */
  public List<PluginRegistrar.Outcome> told() {
    return core.told();
  }

  /** Returns the {@code :authority} of each call, in order. */
  public List<String> authorities() {
    return core.authorities();
  }

  /** Returns whether the registrar listens. */
  public boolean listens() {
    return core.listens();
  }

  /** Stops the registrar like a killed process: connections break, and the socket file remains. */
  public void stop() {
    core.stop();
  }

  /**
   * Starts the registrar on a new socket at the same path. A running registrar is stopped first.
   */
  public void start() {
    core.restart();
  }

  /** Stops the registrar and removes its socket, as after a normal exit. */
  @Override
  public void close() {
    core.close();
  }

  /** Collects the settings of a registrar. */
  public static final class Builder {
    private final Path directory;
    private Announced announced =
        Announced.of(PluginName.of("fake.csi4j.example"), CsiEndpoint.of(Path.of("/csi.sock")));
    private @Nullable String socketName;
    private boolean endsWhenRefused = true;
    private @Nullable PluginClock clock;

    private Builder(Path directory) {
      this.directory = directory;
    }

    /** Sets the announcement. Default: a plugin {@code fake.csi4j.example} at {@code /csi.sock}. */
    public Builder announce(Announced value) {
      announced = value;
      return this;
    }

    /** Sets the name of the socket. Default: {@code NAME-reg.sock}. */
    public Builder socketName(String value) {
      socketName = value;
      return this;
    }

    /**
     * Sets whether the registrar exits when a caller reports that the plugin was refused. Default:
     * it exits.
     */
    public Builder endsWhenRefused(boolean value) {
      endsWhenRefused = value;
      return this;
    }

    /** Sets the clock for delays. Default: real time. */
    public Builder clock(PluginClock value) {
      clock = value;
      return this;
    }

    /**
     * Starts the registrar.
     *
     * @throws java.io.UncheckedIOException if the registrar cannot listen; the message names the
     *     path and the reason
     */
    public FakeRegistrar open() {
      String name = socketName == null ? announced.name + "-reg.sock" : socketName;
      RegistrarCore core =
          new RegistrarCore(directory.toAbsolutePath().resolve(name), clock, endsWhenRefused);
      announced.by(core);
      core.open();
      return new FakeRegistrar(core);
    }
  }
}
