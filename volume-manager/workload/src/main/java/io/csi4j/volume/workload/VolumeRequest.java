package io.csi4j.volume.workload;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.CapacityRange;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.SnapshotId;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.client.model.VolumeId;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.volume.internal.names.ModeNames;
import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.internal.names.Violations;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.PluginId;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The request of a workload for one volume, as its job description says it. Compares by value;
 * mount flags are never printed.
 *
 * @since 1.0
 */
public final class VolumeRequest {

  private final Builder parts;
  private final VolumeAlias alias;

  private VolumeRequest(Builder builder) {
    parts = builder.copy();
    alias = VolumeAlias.of(parts.alias);
  }

  /**
   * Begins a request. Nothing is refused before {@link Builder#build}, which tells everything.
   *
   * @param alias the name by which tasks refer to the volume
   * @param type what kind of volume it is
   * @param source which volume, as the host names it
   */
  public static Builder builder(String alias, Type type, String source) {
    return new Builder(alias, type, source);
  }

  /** Begins with this request. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** The name by which tasks refer to the volume. */
  public VolumeAlias alias() {
    return alias;
  }

  /** Returns the kind of volume. */
  public Type type() {
    return parts.type;
  }

  /** Which volume, as the host names it; the same for all instances of the workload. */
  public String source() {
    return parts.source;
  }

  /**
   * Which volume, for one instance of the workload: {@code db[3]} if each has its own.
   *
   * @param instance the number of the instance, from zero
   */
  public String sourceOf(int instance) {
    if (instance < 0) {
      throw new IllegalArgumentException(
          "The number of an instance is negative: " + instance + ". Count from zero.");
    }
    return parts.perInstance ? parts.source + "[" + instance + "]" : parts.source;
  }

  /** Whether each instance of the workload has a volume of its own. */
  public boolean perInstance() {
    return parts.perInstance;
  }

  /** Whether it is only read: that was asked for, or is all that the access mode allows. */
  public boolean readOnly() {
    return parts.readOnly || accessMode().filter(mode -> !mode.isWritable()).isPresent();
  }

  /** How many nodes may use it, and which may write; nothing for a host volume. */
  public Optional<AccessMode> accessMode() {
    return Optional.ofNullable(parts.accessMode);
  }

  /** As what it is wanted; a host volume is always a directory. */
  public AttachmentMode attachment() {
    return stated().orElse(AttachmentMode.FILESYSTEM);
  }

  private Optional<AttachmentMode> stated() {
    return Optional.ofNullable(parts.attachment);
  }

  /** The mount options that take the place of the volume's own, part by part. */
  public MountOptions mountOptions() {
    return parts.mountOptions;
  }

  /** To whom its files shall belong; nothing if they stay whose they are. */
  public Optional<FileOwnership> ownership() {
    return Optional.ofNullable(parts.ownership);
  }

  /** Returns how the volume is to be created for the job; nothing if it is there before. */
  public Optional<NewVolume> created() {
    return Optional.ofNullable(parts.created);
  }

  /** Returns the label of SELinux for its files, if it needs one. */
  public Optional<SelinuxLabel> selinuxLabel() {
    return Optional.ofNullable(parts.selinuxLabel);
  }

  /**
   * Returns the request for the volume manager: this one, and what the host knows of the volume.
   *
   * @throws IllegalStateException for a host volume, which need not be mounted
   * @throws IllegalArgumentException if the volume was claimed in another way than is requested
   */
  public MountRequest toMountRequest(ResolvedVolume.Csi volume, WorkloadId workload) {
    VolumeUse usage = VolumeUse.of(volume.key(), workload);
    AccessMode mode =
        accessMode()
            .orElseThrow(
                () -> new IllegalStateException("A host volume is not mounted by a plugin."));
    MountRequest.Builder request =
        (volume.inline()
                ? MountRequest.inline(volume.plugin(), usage, mode)
                : MountRequest.builder(volume.plugin(), usage, volume.handle(), mode))
            .volumeContext(volume.volumeContext())
            .secrets(volume.secrets());
    volume
        .claim()
        .ifPresentOrElse(request::claim, () -> request.publishContext(volume.publishContext()));
    selinuxLabel().ifPresent(request::selinuxLabel);
    if (attachment() == AttachmentMode.BLOCK) {
      request.block(true);
    } else {
      request.volumeOptions(volume.mountOptions()).requestOptions(mountOptions());
      ownership().flatMap(OwnershipChange::group).ifPresent(request::groupIfOffered);
    }
    return request.readOnly(readOnly()).build();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof VolumeRequest that
        && alias.equals(that.alias)
        && type() == that.type()
        && source().equals(that.source())
        && perInstance() == that.perInstance()
        && parts.readOnly == that.parts.readOnly
        && accessMode().equals(that.accessMode())
        && stated().equals(that.stated())
        && mountOptions().equals(that.mountOptions())
        && ownership().equals(that.ownership())
        && created().equals(that.created())
        && selinuxLabel().equals(that.selinuxLabel());
  }

  @Override
  public int hashCode() {
    return Objects.hash(
        alias, type(), source(), perInstance(), parts.readOnly, accessMode(), stated());
  }

  @Override
  public String toString() {
    return "VolumeRequest["
        + ForeignText.of(alias.value())
        + ": "
        + type().word()
        + " "
        + ForeignText.of(source())
        + (perInstance() ? "[n]" : "")
        + accessMode().map(mode -> ", " + mode).orElse("")
        + stated().map(mode -> ", " + mode.word()).orElse("")
        + (mountOptions().equals(MountOptions.none()) ? "" : ", " + mountOptions())
        + (readOnly() ? ", read-only" : "")
        + ownership().map(wish -> ", for " + wish).orElse("")
        + created().map(wish -> ", created as " + wish).orElse("")
        + "]";
  }

  /** Collects what a request may have, as it stands in a job description. */
  public static final class Builder {

    private final String alias;
    private final Type type;
    private final String source;
    private boolean perInstance;
    private int instances = 1;
    private boolean readOnly;
    private @Nullable AccessMode accessMode;
    private @Nullable String accessWord;
    private @Nullable AttachmentMode attachment;
    private @Nullable String attachmentWord;
    private MountOptions mountOptions = MountOptions.none();
    private @Nullable FileOwnership ownership;
    private @Nullable NewVolume created;
    private @Nullable SelinuxLabel selinuxLabel;

    private Builder(String alias, Type type, String source) {
      this.alias = Objects.requireNonNull(alias, "alias");
      this.type = Objects.requireNonNull(type, "type");
      this.source = Objects.requireNonNull(source, "source");
    }

    private Builder copy() {
      Builder copy = new Builder(alias, type, source);
      copy.perInstance = perInstance;
      copy.instances = instances;
      copy.readOnly = readOnly;
      copy.accessMode = accessMode;
      copy.accessWord = accessWord;
      copy.attachment = attachment;
      copy.attachmentWord = attachmentWord;
      copy.mountOptions = mountOptions;
      copy.ownership = ownership;
      copy.created = created;
      copy.selinuxLabel = selinuxLabel;
      return copy;
    }

    /**
     * Sets whether each instance of the workload has its own volume: source and number. All share
     * one by default.
     */
    public Builder perInstance(boolean value) {
      perInstance = value;
      return this;
    }

    /**
     * How many instances the workload has; with more than one, a volume that has room for one is
     * refused unless each has its own. Default: one.
     */
    public Builder instances(int count) {
      instances = count;
      return this;
    }

    /** Sets whether the volume is only read. It may be written by default. */
    public Builder readOnly(boolean value) {
      readOnly = value;
      return this;
    }

    /** How many nodes may use it, and which may write; required for a CSI volume. */
    public Builder accessMode(AccessMode mode) {
      accessMode = Objects.requireNonNull(mode, "mode");
      accessWord = null;
      return this;
    }

    /**
     * Sets the access mode by its word in a job description, such as {@code single-node-writer}.
     */
    public Builder accessMode(String word) {
      accessMode = null;
      accessWord = Objects.requireNonNull(word, "word");
      return this;
    }

    /** As what it is wanted; required for a CSI volume. */
    public Builder attachment(AttachmentMode mode) {
      attachment = Objects.requireNonNull(mode, "mode");
      attachmentWord = null;
      return this;
    }

    /** Sets the attachment by its word in a job description. */
    public Builder attachment(String word) {
      attachment = null;
      attachmentWord = Objects.requireNonNull(word, "word");
      return this;
    }

    /** Mount options that take the place of the volume's own, part by part. */
    public Builder mountOptions(MountOptions options) {
      mountOptions = Objects.requireNonNull(options, "options");
      return this;
    }

    /**
     * Gives the files to a user or group before the workload is told of the volume; see {@link
     * WorkloadVolumes#mountAll(io.csi4j.volume.node.VolumeMounter)}. Where the volume is mounted
     * with a {@linkplain MountOptions#volumeMountGroup() group}, the plugin does that, and nothing
     * more is done; a plugin that offers VOLUME_MOUNT_GROUP is given the group of {@link
     * FileOwnership#ofGroup} on its own ({@link MountRequest.Builder#groupIfOffered}).
     */
    public Builder ownership(FileOwnership wish) {
      ownership = Objects.requireNonNull(wish, "wish");
      return this;
    }

    /**
     * Wants a volume that is created for the job, and deleted when the last claim of it has been
     * given back, unless it is {@linkplain NewVolume.Builder#retained retained}. The source is the
     * name of the volume in the job. The host's control plane creates it; until then {@link
     * Preflight} checks what is known of its plugin.
     */
    public Builder created(NewVolume wish) {
      created = Objects.requireNonNull(wish, "wish");
      return this;
    }

    /**
     * Mounts the volume with a label of SELinux where its plugin takes one; its files are not
     * relabelled then, whatever the mounts of tasks say. See {@link
     * MountRequest.Builder#selinuxLabel}.
     */
    public Builder selinuxLabel(SelinuxLabel label) {
      selinuxLabel = Objects.requireNonNull(label, "label");
      return this;
    }

    /** All that is wrong so far; empty if it can be built. */
    public List<Violation> violations() {
      return check().all();
    }

    /**
     * The request.
     *
     * @throws WorkloadRequestException with all that is wrong
     */
    public VolumeRequest build() {
      WorkloadRequestException.check("The volume request '" + ForeignText.of(alias) + "'", check());
      return new VolumeRequest(this);
    }

    private Violations check() {
      Violations found = new Violations();
      found.read("alias", alias, VolumeAlias::of);
      found.read("source", source, word -> Names.check("source of a volume", word));
      found.read("access_mode", accessWord, ModeNames::parse).ifPresent(this::accessMode);
      found
          .read("attachment_mode", attachmentWord, AttachmentMode::parse)
          .ifPresent(this::attachment);
      if (type == Type.CSI) {
        checkCsi(found);
      } else {
        checkHost(found);
      }
      return found;
    }

    private void checkCsi(Violations found) {
      if (accessWord == null && (accessMode == null || !accessMode.isStated())) {
        found.add(
            "access_mode",
            Rule.REQUIRED,
            "is missing: say how many nodes may use the volume, and which may write");
      }
      if (instances > 1 && !perInstance && hasRoomForOne(accessMode)) {
        found.add(
            "access_mode",
            Rule.MISMATCH,
            ModeNames.limit(Objects.requireNonNull(accessMode))
                + ", and "
                + instances
                + " instances would share the volume: choose a mode that admits several, or give"
                + " each instance its own volume");
      }
      if (attachment == null && attachmentWord == null) {
        found.add(
            "attachment_mode", Rule.REQUIRED, "is missing: say whether a filesystem or a block");
      }
      if (attachment == AttachmentMode.BLOCK && !mountOptions.equals(MountOptions.none())) {
        found.add(
            "mount_options",
            Rule.MISMATCH,
            "are given for a block device, which is not mounted: leave them out");
      }
      checkOwnership(found);
    }

    private void checkOwnership(Violations found) {
      if (ownership == null) {
        return;
      }
      if (attachment == AttachmentMode.BLOCK) {
        found.add(
            "ownership",
            Rule.MISMATCH,
            "is given for a block device, which has no files: leave it out");
      } else if (readOnly || (accessMode != null && !accessMode.isWritable())) {
        found.add(
            "ownership",
            Rule.MISMATCH,
            "is given for a volume that is only read, whose files cannot change: leave it out");
      } else if (accessMode != null && accessMode.isMultiNode()) {
        found.add(
            "ownership",
            Rule.MISMATCH,
            "is given for a volume that other nodes may use meanwhile: mount it with a group, or"
                + " set the owners once by hand");
      }
    }

    private boolean hasRoomForOne(@Nullable AccessMode mode) {
      return mode == AccessMode.SINGLE_NODE_WRITER
          || mode == AccessMode.SINGLE_NODE_READER_ONLY
          || mode == AccessMode.SINGLE_NODE_SINGLE_WRITER
          || (mode == AccessMode.MULTI_NODE_SINGLE_WRITER && !readOnly);
    }

    private void checkHost(Violations found) {
      if (accessMode != null || accessWord != null) {
        found.add("access_mode", Rule.MISMATCH, "is given for a host volume: leave it out");
      }
      if (attachment != null || attachmentWord != null) {
        found.add("attachment_mode", Rule.MISMATCH, "is given for a host volume: leave it out");
      }
      if (!mountOptions.equals(MountOptions.none())) {
        found.add("mount_options", Rule.MISMATCH, "are given for a host volume: leave them out");
      }
      if (ownership != null) {
        found.add("ownership", Rule.MISMATCH, "is given for a host volume: leave it out");
      }
      if (created != null) {
        found.add(
            "created", Rule.MISMATCH, "is given for a host volume, which is there: leave it out");
      }
    }
  }

  /**
   * A volume that is created for a job, as its job description says it: {@link
   * VolumeRequest.Builder#created}. Nothing here creates it; the host hands the wish to its control
   * plane. Immutable; compares by value; values of parameters are never printed.
   *
   * @since 1.0
   */
  public static final class NewVolume {

    private final Builder parts;

    private NewVolume(Builder parts) {
      this.parts = parts.copy();
    }

    /** Begins with a volume of a plugin of which nothing else is asked yet. */
    public static Builder builder(PluginId plugin) {
      return new Builder(plugin);
    }

    /** Begins with this wish. */
    public Builder toBuilder() {
      return parts.copy();
    }

    /** Returns the plugin whose volume it will be. */
    public PluginId plugin() {
      return parts.plugin;
    }

    /** Returns how large it has to be; nothing if the plugin may decide. */
    public Optional<CapacityRange> capacity() {
      return Optional.ofNullable(parts.capacity);
    }

    /** Returns the parameters, which only the plugin understands. */
    public SortedMap<String, String> parameters() {
      return Collections.unmodifiableSortedMap(parts.parameters);
    }

    /** Returns the snapshot that it begins as a copy of. */
    public Optional<SnapshotId> snapshot() {
      return Optional.ofNullable(parts.snapshot);
    }

    /** Returns the volume that it begins as a copy of. */
    public Optional<VolumeId> original() {
      return Optional.ofNullable(parts.original);
    }

    /** Whether it stays when the last claim of it has been given back; else it is deleted then. */
    public boolean retained() {
      return parts.retained;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof NewVolume that && all().equals(that.all());
    }

    @Override
    public int hashCode() {
      return all().hashCode();
    }

    private List<Object> all() {
      return List.of(plugin(), capacity(), parameters(), snapshot(), original(), retained());
    }

    @Override
    public String toString() {
      return "NewVolume["
          + plugin()
          + capacity().map(range -> ", " + range).orElse("")
          + (parts.parameters.isEmpty() ? "" : ", parameters=" + parts.parameters.keySet())
          + snapshot().map(from -> ", from snapshot " + from).orElse("")
          + original().map(from -> ", clone of " + from).orElse("")
          + (retained() ? ", retained" : "")
          + "]";
    }

    /** Collects the parts of a wish. */
    public static final class Builder {

      private final PluginId plugin;
      private final SortedMap<String, String> parameters = new TreeMap<>();
      private @Nullable CapacityRange capacity;
      private @Nullable SnapshotId snapshot;
      private @Nullable VolumeId original;
      private boolean retained;

      private Builder(PluginId plugin) {
        this.plugin = Objects.requireNonNull(plugin, "plugin");
      }

      private Builder copy() {
        Builder copy = new Builder(plugin);
        copy.parameters.putAll(parameters);
        copy.capacity = capacity;
        copy.snapshot = snapshot;
        copy.original = original;
        copy.retained = retained;
        return copy;
      }

      /** Sets how large it has to be. */
      public Builder capacity(CapacityRange value) {
        capacity = Objects.requireNonNull(value, "value");
        return this;
      }

      /** Adds parameters, which only the plugin understands. */
      public Builder parameters(Map<String, String> value) {
        parameters.putAll(value);
        return this;
      }

      /** Lets it begin as a copy of a snapshot; it has one source at most. */
      public Builder fromSnapshot(SnapshotId value) {
        snapshot = Objects.requireNonNull(value, "value");
        return this;
      }

      /** Lets it begin as a copy of a volume; it has one source at most. */
      public Builder cloneOf(VolumeId value) {
        original = Objects.requireNonNull(value, "value");
        return this;
      }

      /**
       * Sets whether it stays when the last claim of it has been given back. It is deleted by
       * default.
       */
      public Builder retained(boolean value) {
        retained = value;
        return this;
      }

      /**
       * Returns the wish.
       *
       * @throws IllegalArgumentException if it has two sources
       */
      public NewVolume build() {
        if (snapshot != null && original != null) {
          throw new IllegalArgumentException(
              "A new volume of plugin '"
                  + plugin
                  + "' cannot begin as a copy of both snapshot '"
                  + snapshot
                  + "' and volume '"
                  + original
                  + "'. Leave one of them out.");
        }
        return new NewVolume(this);
      }
    }
  }

  /**
   * The kind of volume that a request is for.
   *
   * @since 1.0
   */
  public enum Type {
    /** A volume of a CSI plugin. */
    CSI("csi"),
    /** A directory that the host offers under a name. */
    HOST("host");

    private final String word;

    Type(String word) {
      this.word = word;
    }

    /**
     * The type of this word.
     *
     * @throws IllegalArgumentException for any other word
     */
    public static Type parse(String word) {
      for (Type each : values()) {
        if (each.word.equals(word)) {
          return each;
        }
      }
      throw new IllegalArgumentException("A volume is 'csi' or 'host', and not what was given.");
    }

    /** Its word in a job description: {@code csi} or {@code host}. */
    public String word() {
      return word;
    }
  }
}
