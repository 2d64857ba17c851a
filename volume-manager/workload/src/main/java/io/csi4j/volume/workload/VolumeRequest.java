package io.csi4j.volume.workload;

import io.csi4j.client.model.AccessMode;
import io.csi4j.client.model.MountOptions;
import io.csi4j.client.model.Violation;
import io.csi4j.client.model.Violation.Rule;
import io.csi4j.client.model.VolumeCapability;
import io.csi4j.mount.model.FileOwnership;
import io.csi4j.volume.internal.names.ModeNames;
import io.csi4j.volume.internal.names.Names;
import io.csi4j.volume.internal.names.Violations;
import io.csi4j.volume.internal.text.ForeignText;
import io.csi4j.volume.model.AttachmentMode;
import io.csi4j.volume.model.CatalogVolume;
import io.csi4j.volume.model.InvalidRequestException;
import io.csi4j.volume.model.SelinuxLabel;
import io.csi4j.volume.model.VolumeSpec;
import io.csi4j.volume.model.VolumeUse;
import io.csi4j.volume.model.WorkloadFacts;
import io.csi4j.volume.model.WorkloadId;
import io.csi4j.volume.node.MountRequest;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A workload's request for one volume, as in a job description. Has value equality. The method
 * {@code toString} does not show mount flags.
 *
 * @since 1.0
 */
public final class VolumeRequest {

  private final Builder parts;
  private final VolumeAlias alias;
  private final Optional<VolumeSpec> created;

  private VolumeRequest(Builder builder) {
    parts = builder.copy();
    alias = VolumeAlias.of(parts.alias);
    created = parts.wanted().map(VolumeSpec.Builder::build);
  }

  /**
   * Returns a builder for a request. The values are checked only in {@link Builder#build}, which
   * reports all violations together.
   *
   * @param alias the name with which tasks refer to the volume
   * @param type the type of the volume
   * @param source the host's name for the volume
   */
  public static Builder builder(String alias, Type type, String source) {
    return new Builder(alias, type, source);
  }

  /**
   * Returns a builder for a request for a CSI volume. The alias of the volume is the same as the
   * host's name for it.
   *
   * @param volume the host's name for the volume
   */
  public static Builder csi(String volume) {
    return builder(volume, Type.CSI, volume);
  }

  /** Returns a builder with the values of this request. */
  public Builder toBuilder() {
    return parts.copy();
  }

  /** Returns the name with which tasks refer to the volume. */
  public VolumeAlias alias() {
    return alias;
  }

  /** Returns the type of the volume. */
  public Type type() {
    return parts.type;
  }

  /** Returns the host's name for the volume, without the number of an instance. */
  public String source() {
    return parts.source;
  }

  /**
   * Returns the host's name for the volume of one instance of the workload. If each instance has
   * its own volume, the name has the number of the instance, such as {@code db[3]}.
   *
   * @param instance the number of the instance, which starts at zero
   */
  public String sourceOf(int instance) {
    if (instance < 0) {
      throw new IllegalArgumentException(
          "The number of an instance is negative: " + instance + ". Count from zero.");
    }
    return parts.perInstance ? parts.source + "[" + instance + "]" : parts.source;
  }

  /** Whether each instance of the workload has its own volume. */
  public boolean perInstance() {
    return parts.perInstance;
  }

  /**
   * Whether the workload only reads the volume, either because the request says so or because the
   * access mode does not allow writing.
   */
  public boolean readOnly() {
    return parts.readOnly || accessMode().filter(mode -> !mode.isWritable()).isPresent();
  }

  /**
   * Returns the access mode, which limits how many nodes may use the volume and which may write;
   * empty for a host volume.
   */
  public Optional<AccessMode> accessMode() {
    return Optional.ofNullable(parts.accessMode);
  }

  /** Returns the attachment mode. A host volume is always a filesystem. */
  public AttachmentMode attachment() {
    return stated().orElse(AttachmentMode.FILESYSTEM);
  }

  private Optional<AttachmentMode> stated() {
    return Optional.ofNullable(parts.attachment);
  }

  /**
   * Returns the requested mount options. Each option that is set overrides the corresponding option
   * of the volume.
   */
  public MountOptions mountOptions() {
    return parts.mountOptions;
  }

  /**
   * Returns the requested owner of the volume's files; empty if the owner should not be changed.
   */
  public Optional<FileOwnership> ownership() {
    return Optional.ofNullable(parts.ownership);
  }

  /**
   * Returns the spec of a volume that must be created for the job; empty if the request is for an
   * existing volume.
   */
  public Optional<VolumeSpec> created() {
    return created;
  }

  /** Returns the SELinux label that the volume's files must have, if one is requested. */
  public Optional<SelinuxLabel> selinuxLabel() {
    return Optional.ofNullable(parts.selinuxLabel);
  }

  /** Returns the facts about the workload that the plugin receives, if any are set. */
  public Optional<WorkloadFacts> workloadFacts() {
    return Optional.ofNullable(parts.workloadFacts);
  }

  /**
   * Returns the group for which the volume is mounted if its plugin offers VOLUME_MOUNT_GROUP. This
   * is the group of an ownership like {@link FileOwnership#ofGroup}. Empty if the {@linkplain
   * #ownership ownership} is not set, or if the plugin could not fulfil it completely.
   */
  public Optional<String> groupIfOffered() {
    return ownership().flatMap(OwnershipChange::group);
  }

  /**
   * Returns the mount request for the volume manager, which combines this request with the
   * properties of the volume.
   *
   * @throws IllegalStateException if this request is for a host volume, which need not be mounted
   * @throws IllegalArgumentException if the claim of the volume is for another use than this
   *     request
   */
  public MountRequest toMountRequest(ResolvedVolume.Csi volume, WorkloadId workload) {
    AccessMode mode =
        accessMode()
            .orElseThrow(
                () -> new IllegalStateException("A host volume is not mounted by a plugin."));
    CatalogVolume known = volume.volume();
    MountRequest.Builder request =
        volume.inline()
            ? MountRequest.inline(known.plugin(), VolumeUse.of(known.key(), workload), mode)
                .block(attachment() == AttachmentMode.BLOCK)
                .volumeContext(known.context())
            : MountRequest.builder(known, workload, mode, attachment());
    volume
        .claim()
        .ifPresentOrElse(request::claim, () -> request.publishContext(volume.publishContext()));
    selinuxLabel().ifPresent(request::selinuxLabel);
    groupIfOffered().ifPresent(request::groupIfOffered);
    workloadFacts().ifPresent(request::workloadFacts);
    return request
        .requestOptions(mountOptions())
        .secrets(volume.secrets())
        .readOnly(readOnly())
        .build();
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
        && selinuxLabel().equals(that.selinuxLabel())
        && workloadFacts().equals(that.workloadFacts());
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
        + created().map(spec -> ", created as " + spec).orElse("")
        + "]";
  }

  /** Builder of a {@link VolumeRequest} from the values of a job description. */
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
    private VolumeSpec.@Nullable Builder created;
    private @Nullable SelinuxLabel selinuxLabel;
    private @Nullable WorkloadFacts workloadFacts;

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
      copy.created = created == null ? null : created.copy();
      copy.selinuxLabel = selinuxLabel;
      copy.workloadFacts = workloadFacts;
      return copy;
    }

    /**
     * Sets whether each instance of the workload has its own volume, whose name consists of the
     * source and the number of the instance. By default, all instances share one volume.
     */
    public Builder perInstance(boolean value) {
      perInstance = value;
      return this;
    }

    /**
     * Sets the number of instances of the workload. If there are several instances, a volume that
     * admits only one workload is refused, unless each instance has its own volume. The default is
     * one.
     */
    public Builder instances(int count) {
      instances = count;
      return this;
    }

    /** Sets whether the workload only reads the volume. By default, it may also write. */
    public Builder readOnly(boolean value) {
      readOnly = value;
      return this;
    }

    /** Sets the access mode, the attachment mode and the mount options from this capability. */
    public Builder use(VolumeCapability capability) {
      return accessMode(capability.accessMode())
          .attachment(capability.isBlock() ? AttachmentMode.BLOCK : AttachmentMode.FILESYSTEM)
          .mountOptions(capability.mountOptions().orElseGet(MountOptions::none));
    }

    /**
     * Sets the access mode, which limits how many nodes may use the volume and which may write. It
     * is required for a CSI volume.
     */
    public Builder accessMode(AccessMode mode) {
      accessMode = Objects.requireNonNull(mode, "mode");
      accessWord = null;
      return this;
    }

    /**
     * Sets the access mode by its name in a job description, such as {@code single-node-writer}.
     */
    public Builder accessMode(String word) {
      accessMode = null;
      accessWord = Objects.requireNonNull(word, "word");
      return this;
    }

    /** Sets the attachment mode, which is required for a CSI volume. */
    public Builder attachment(AttachmentMode mode) {
      attachment = Objects.requireNonNull(mode, "mode");
      attachmentWord = null;
      return this;
    }

    /** Sets the attachment mode by its name in a job description. */
    public Builder attachment(String word) {
      attachment = null;
      attachmentWord = Objects.requireNonNull(word, "word");
      return this;
    }

    /**
     * Sets mount options. Each option that is set overrides the corresponding option of the volume.
     */
    public Builder mountOptions(MountOptions options) {
      mountOptions = Objects.requireNonNull(options, "options");
      return this;
    }

    /**
     * Sets the user or group that will own the files. The owner is changed while the volume is
     * mounted, before the workload can use it; see {@link
     * WorkloadVolumes#mountAll(io.csi4j.volume.node.VolumeMounter)}. If the mount options contain a
     * {@linkplain MountOptions#volumeMountGroup() group}, the plugin sets the owner, and csi4j does
     * not change it. If the plugin offers VOLUME_MOUNT_GROUP, the group of an ownership like {@link
     * FileOwnership#ofGroup} is passed to the plugin automatically ({@link
     * MountRequest.Builder#groupIfOffered}).
     */
    public Builder ownership(FileOwnership wish) {
      ownership = Objects.requireNonNull(wish, "wish");
      return this;
    }

    /**
     * Requests that the volume is created for the job. The source is the name of the volume in the
     * job. The capabilities of the new volume are those in {@code volume} and the use in this
     * request. The volume is kept after the end of the job, unless {@code volume} is {@linkplain
     * VolumeSpec.Builder#ephemeral ephemeral}. An ephemeral volume is deleted when its last claim
     * has been released. The host's control plane creates the volume. Before that, {@link
     * Preflight} checks whether the node and its plugin are suitable.
     */
    public Builder created(VolumeSpec.Builder volume) {
      created = volume.copy();
      return this;
    }

    /**
     * Mounts the volume with an SELinux label if the plugin supports labels. In this case, the
     * files are not relabelled, even if mounts of tasks request it. See {@link
     * MountRequest.Builder#selinuxLabel}.
     */
    public Builder selinuxLabel(SelinuxLabel label) {
      selinuxLabel = Objects.requireNonNull(label, "label");
      return this;
    }

    /**
     * Passes facts about the workload to the plugin when the volume is published; see {@link
     * MountRequest.Builder#workloadFacts}. The facts describe a single workload, so a job with
     * several workloads needs a separate request for each of them.
     */
    public Builder workloadFacts(WorkloadFacts facts) {
      workloadFacts = Objects.requireNonNull(facts, "facts");
      return this;
    }

    /** Returns all violations so far; empty if the request can be built. */
    public List<Violation> violations() {
      return check().all();
    }

    /**
     * Returns the request.
     *
     * @throws InvalidRequestException with all violations
     */
    public VolumeRequest build() {
      InvalidRequestException.check(
          "The volume request '" + ForeignText.of(alias) + "'", check().all());
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

    /**
     * Returns the spec of the volume to create, including the use in this request if it is known.
     */
    private Optional<VolumeSpec.Builder> wanted() {
      Optional<VolumeSpec.Builder> volume =
          Optional.ofNullable(created).map(VolumeSpec.Builder::copy);
      if (isUseKnown()) {
        volume.ifPresent(
            it -> it.use(Objects.requireNonNull(accessMode), Objects.requireNonNull(attachment)));
      }
      return volume;
    }

    private boolean isUseKnown() {
      return accessMode != null && accessMode.isStated() && attachment != null;
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
                + " instances would share the volume: choose a mode that admits several"
                + " workloads, or give each instance its own volume");
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
      checkCreated(found);
    }

    private void checkCreated(Violations found) {
      wanted().map(VolumeSpec.Builder::violations).orElse(List.of()).stream()
          // A missing or unknown use is already reported for the request itself.
          .filter(each -> isUseKnown() || !each.field().equals("capabilities"))
          .forEach(each -> found.add("created." + each.field(), each.rule(), each.detail()));
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
      if (workloadFacts != null) {
        found.add(
            "workload_facts",
            Rule.MISMATCH,
            "are given for a host volume, which has no plugin: leave them out");
      }
      if (created != null) {
        found.add(
            "created",
            Rule.MISMATCH,
            "is given for a host volume, which already exists: leave " + "it out");
      }
    }
  }

  /**
   * The types of volumes that a workload can request.
   *
   * @since 1.0
   */
  public enum Type {
    /** A volume of a CSI plugin. */
    CSI("csi"),
    /** A directory that the host provides under a name. */
    HOST("host");

    private final String word;

    Type(String word) {
      this.word = word;
    }

    /**
     * Returns the type with this name.
     *
     * @throws IllegalArgumentException for any other name
     */
    public static Type parse(String word) {
      for (Type each : values()) {
        if (each.word.equals(word)) {
          return each;
        }
      }
      throw new IllegalArgumentException(
          "A volume is 'csi' or 'host'; the given value is " + "neither.");
    }

    /** Returns the name of the type in a job description: {@code csi} or {@code host}. */
    public String word() {
      return word;
    }
  }
}
