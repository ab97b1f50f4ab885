// Command device-manager stands in for the part of the kubelet that device plugins talk to.
//
// It serves the Registration service on kubelet.sock, dials every plugin that registers, follows its ListAndWatch
// stream, and asks it once to allocate a healthy device, as the kubelet would for a container. What it learns goes to
// standard output, one JSON object a line:
//
//	{"event":"listening","socket":"/var/lib/kubelet/device-plugins/kubelet.sock"}
//	{"event":"registered","resource":"nvidia.com/gpu","endpoint":"nvidia-gpu.sock"}
//	{"event":"devices","resource":"nvidia.com/gpu","healthy":["GPU-1::0"],"unhealthy":[]}
//	{"event":"allocated","resource":"nvidia.com/gpu","device":"GPU-1::0","envs":{"NVIDIA_VISIBLE_DEVICES":"GPU-1"}}
//	{"event":"gone","resource":"nvidia.com/gpu"}
//
// "gone" means that the stream ended; the kubelet then counts the devices as unhealthy, so allocatable drops to 0.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"sort"
	"sync"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	pluginapi "k8s.io/kubelet/pkg/apis/deviceplugin/v1beta1"
)

// event is one line of output. Empty fields are left out, except for the lists of a "devices" event.
type event struct {
	Event       string            `json:"event"`
	Socket      string            `json:"socket,omitempty"`
	Resource    string            `json:"resource,omitempty"`
	Endpoint    string            `json:"endpoint,omitempty"`
	Healthy     *[]string         `json:"healthy,omitempty"`
	Unhealthy   *[]string         `json:"unhealthy,omitempty"`
	Device      string            `json:"device,omitempty"`
	Envs        map[string]string `json:"envs,omitempty"`
	Annotations map[string]string `json:"annotations,omitempty"`
	CDIDevices  []string          `json:"cdiDevices,omitempty"`
	Mounts      []string          `json:"mounts,omitempty"`
	Error       string            `json:"error,omitempty"`
}

type manager struct {
	pluginapi.UnimplementedRegistrationServer
	ctx    context.Context
	folder string

	mu     sync.Mutex
	output *json.Encoder
}

func (m *manager) emit(e event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.output.Encode(e); err != nil {
		log.Fatalf("write an event: %v", err)
	}
}

// Register answers the plugin at once and dials it afterwards, as the kubelet does.
func (m *manager) Register(_ context.Context, r *pluginapi.RegisterRequest) (*pluginapi.Empty, error) {
	if r.Version != pluginapi.Version {
		return nil, fmt.Errorf("the plugin speaks %q, not %q", r.Version, pluginapi.Version)
	}
	if r.Endpoint != filepath.Base(r.Endpoint) {
		return nil, fmt.Errorf("the endpoint %q is not a file name", r.Endpoint)
	}
	m.emit(event{Event: "registered", Resource: r.ResourceName, Endpoint: r.Endpoint})
	go m.follow(r.ResourceName, r.Endpoint)
	return &pluginapi.Empty{}, nil
}

// follow reports what the plugin lists until its stream ends.
func (m *manager) follow(resource, endpoint string) {
	connection, err := grpc.NewClient("unix://"+filepath.Join(m.folder, endpoint),
		grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		m.emit(event{Event: "gone", Resource: resource, Error: err.Error()})
		return
	}
	defer connection.Close()
	client := pluginapi.NewDevicePluginClient(connection)
	stream, err := client.ListAndWatch(m.ctx, &pluginapi.Empty{})
	if err != nil {
		m.emit(event{Event: "gone", Resource: resource, Error: err.Error()})
		return
	}
	allocated := false
	for {
		list, err := stream.Recv()
		if err != nil {
			m.emit(event{Event: "gone", Resource: resource, Error: err.Error()})
			return
		}
		healthy, unhealthy := []string{}, []string{}
		for _, device := range list.Devices {
			if device.Health == pluginapi.Healthy {
				healthy = append(healthy, device.ID)
			} else {
				unhealthy = append(unhealthy, device.ID)
			}
		}
		sort.Strings(healthy)
		sort.Strings(unhealthy)
		m.emit(event{Event: "devices", Resource: resource, Healthy: &healthy, Unhealthy: &unhealthy})
		if !allocated && len(healthy) > 0 {
			allocated = true
			m.allocate(client, resource, healthy[0])
		}
	}
}

// allocate asks what a container that gets this device is started with.
func (m *manager) allocate(client pluginapi.DevicePluginClient, resource, device string) {
	response, err := client.Allocate(m.ctx, &pluginapi.AllocateRequest{
		ContainerRequests: []*pluginapi.ContainerAllocateRequest{{DevicesIds: []string{device}}},
	})
	if err == nil && len(response.ContainerResponses) != 1 {
		err = fmt.Errorf("%d answers for one container", len(response.ContainerResponses))
	}
	if err != nil {
		m.emit(event{Event: "allocated", Resource: resource, Device: device, Error: err.Error()})
		return
	}
	answer := response.ContainerResponses[0]
	e := event{Event: "allocated", Resource: resource, Device: device, Envs: answer.Envs, Annotations: answer.Annotations}
	for _, mount := range answer.Mounts {
		e.Mounts = append(e.Mounts, mount.ContainerPath)
	}
	for _, cdi := range answer.CdiDevices {
		e.CDIDevices = append(e.CDIDevices, cdi.Name)
	}
	m.emit(e)
}

func main() {
	folder := flag.String("folder", pluginapi.DevicePluginPath, "folder of the device plugins' sockets")
	flag.Parse()
	if err := os.MkdirAll(*folder, 0o755); err != nil {
		log.Fatalf("make the folder of the sockets: %v", err)
	}
	socket := filepath.Join(*folder, filepath.Base(pluginapi.KubeletSocket))
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		log.Fatalf("remove the old socket: %v", err)
	}
	listener, err := net.Listen("unix", socket)
	if err != nil {
		log.Fatalf("listen: %v", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	m := &manager{ctx: ctx, folder: *folder, output: json.NewEncoder(os.Stdout)}
	server := grpc.NewServer()
	pluginapi.RegisterRegistrationServer(server, m)
	go func() {
		<-ctx.Done()
		server.Stop()
	}()
	m.emit(event{Event: "listening", Socket: socket})
	if err := server.Serve(listener); err != nil {
		log.Fatalf("serve: %v", err)
	}
}
