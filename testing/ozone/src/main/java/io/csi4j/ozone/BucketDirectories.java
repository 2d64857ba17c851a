package io.csi4j.ozone;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.apache.hadoop.hdds.conf.ConfigurationSource;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.ozone.om.protocolPB.OmTransport;
import org.apache.hadoop.ozone.om.protocolPB.OmTransportFactory;
import org.apache.hadoop.ozone.protocol.proto.OzoneManagerProtocolProtos.GetS3VolumeContextResponse;
import org.apache.hadoop.ozone.protocol.proto.OzoneManagerProtocolProtos.OMRequest;
import org.apache.hadoop.ozone.protocol.proto.OzoneManagerProtocolProtos.OMResponse;
import org.apache.hadoop.ozone.protocol.proto.OzoneManagerProtocolProtos.ServiceListResponse;
import org.apache.hadoop.ozone.protocol.proto.OzoneManagerProtocolProtos.Status;
import org.apache.hadoop.ozone.protocol.proto.OzoneManagerProtocolProtos.VolumeInfo;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The Ozone Manager of the test: each bucket is a directory below the one that is configured as the
 * address of the S3 gateway. Answers the four requests that the CSI server sends to it through
 * Ozone's own client.
 */
public final class BucketDirectories implements OmTransportFactory {

  @Override
  public OmTransport createOmTransport(
      ConfigurationSource configuration, UserGroupInformation user, String service) {
    return new Directories(Path.of(configuration.get("ozone.csi.s3g.address")));
  }

  private record Directories(Path root) implements OmTransport {

    @Override
    public OMResponse submitRequest(OMRequest request) throws IOException {
      OMResponse.Builder response =
          OMResponse.newBuilder().setCmdType(request.getCmdType()).setStatus(Status.OK);
      try {
        switch (request.getCmdType()) {
          case ServiceList ->
              response.setServiceListResponse(ServiceListResponse.getDefaultInstance());
          case GetS3VolumeContext ->
              response.setGetS3VolumeContextResponse(
                  GetS3VolumeContextResponse.newBuilder()
                      .setVolumeInfo(
                          VolumeInfo.newBuilder()
                              .setAdminName("root")
                              .setOwnerName("root")
                              .setVolume("s3v")));
          case CreateBucket ->
              Files.createDirectory(
                  root.resolve(request.getCreateBucketRequest().getBucketInfo().getBucketName()));
          case DeleteBucket ->
              Files.delete(root.resolve(request.getDeleteBucketRequest().getBucketName()));
          default -> response.setStatus(Status.INVALID_REQUEST);
        }
      } catch (FileAlreadyExistsException e) {
        response.setStatus(Status.BUCKET_ALREADY_EXISTS);
      } catch (NoSuchFileException e) {
        response.setStatus(Status.BUCKET_NOT_FOUND);
      } catch (DirectoryNotEmptyException e) {
        response.setStatus(Status.BUCKET_NOT_EMPTY);
      }
      return response.build();
    }

    @Override
    public Text getDelegationTokenService() {
      return new Text();
    }

    @Override
    public void close() {}
  }
}
